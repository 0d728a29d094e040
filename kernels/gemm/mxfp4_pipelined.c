/* Pipelined MXFP4 GEMM on a preshuffled B, with an epilogue and without: C[M][N] = A[M][K] *
 * B[N][K]^T in f32 or bf16 (nearest even).
 *
 * Operands are as in preshuffled.h. Padding of scales must not be 0xFF. C is row-major. Any M, N a
 * multiple of 16. 256 rows of A and C, and 256 columns of B, are below 2 GiB.
 *
 * mxfp4_pipelined_*: K a multiple of 32, see pipelined.h.
 *
 * mxfp4_masked_*: K a multiple of 256. The loop does all tiles, and there is no epilogue: loads
 * ahead of the last tile have descriptors of 0 bytes. If the number of tiles is odd, the loop adds
 * one of zeros with scales of 2^-127, which is harmless but for a sum of -0, which becomes +0. */
#include "pipelined.h"

KERNEL(256) void mxfp4_pipelined_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 4);
}

KERNEL(256) void mxfp4_pipelined_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 2);
}

/* ---- without an epilogue ---- */

INLINE void gemm_masked(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	struct wave w;
	accumulators acc;

	w.p = find_operands(m, row, col, 0);
	multiply_masked(&w, m->K / STEP, acc);
	store(C, row, col, m->M, m->N, size, acc);
}

KERNEL(256) void mxfp4_masked_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 4);
}

KERNEL(256) void mxfp4_masked_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 2);
}
