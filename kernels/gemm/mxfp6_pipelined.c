/* Pipelined MXFP6 GEMM, E2M3 x E3M2, on a preshuffled B: C[M][N] = A[M][K] * B[N][K]^T in f32 or
 * bf16 (nearest even).
 *
 * Operands are as in preshuffled.h, 32 elements in 24 bytes. Padding of scales must not be 0xFF. C
 * is row-major. Any M, N a multiple of 16, K of 64: so a row of A is whole chunks of 16 bytes. 256
 * rows of A and C, and 256 columns of B, are below 2 GiB. */
#define FORMAT_A E2M3
#define FORMAT_B E3M2
#include "pipelined.h"

KERNEL(256) void mxfp6_pipelined_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 4);
}

KERNEL(256) void mxfp6_pipelined_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 2);
}
