/* Pipelined MXFP6 GEMM, E2M3 x E3M2, on a preshuffled B, with an epilogue and without: C[M][N] =
 * A[M][K] * B[N][K]^T in f32 or bf16 (nearest even).
 *
 * Operands are as in preshuffled.h, 32 elements in 24 bytes. Padding of scales must not be 0xFF. C
 * is row-major. Any M and N. 256 rows of A and C, and 256 columns of B, are below 2 GiB.
 *
 * mxfp6_pipelined_*: K a multiple of 64, so that a row of A is whole chunks of 16 bytes.
 * mxfp6_masked_*: K a multiple of 256. See pipelined.h. */
#define FORMAT_A E2M3
#define FORMAT_B E3M2
#include "pipelined.h"

KERNEL(256) void mxfp6_pipelined_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 4);
}

KERNEL(256) void mxfp6_pipelined_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 2);
}

KERNEL(256) void mxfp6_masked_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 4);
}

KERNEL(256) void mxfp6_masked_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 2);
}
