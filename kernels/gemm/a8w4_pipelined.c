/* Pipelined GEMM of E4M3 activations and E2M1 weights on a preshuffled B, with an epilogue and
 * without: C[M][N] = A[M][K] * B[N][K]^T in f32 or bf16 (nearest even).
 *
 * Operands are as in preshuffled.h. Padding of scales must not be 0xFF. C is row-major. Any M and
 * N. 256 rows of A and C, and 256 columns of B, are below 2 GiB.
 *
 * a8w4_pipelined_*: K a multiple of 32. a8w4_masked_*: K a multiple of 256. See pipelined.h. */
#define FORMAT_A E4M3
#define FORMAT_B E2M1
#include "pipelined.h"

KERNEL(256) void a8w4_pipelined_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 4);
}

KERNEL(256) void a8w4_pipelined_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 2);
}

KERNEL(256) void a8w4_masked_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 4);
}

KERNEL(256) void a8w4_masked_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 2);
}
