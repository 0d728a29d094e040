/* Grouped MXFP8 GEMM of a mixture of experts: C_g[M_g][N] = A_g[M_g][K] * B_g[N][K]^T in bf16,
 * E4M3. Group g has rows begin[g] to begin[g] + rows[g] of A and C, and N rows of B.
 *
 * A wave computes a 16x16 tile of one group in steps of 128. Any M_g and N, K a multiple of 32; a
 * group's part of each matrix is below 2 GiB. */
#include "../../kernels/gfx950.h"

/* The number of rows of a group that may be loaded and stored. */
#ifndef GROUP_ROWS
#define GROUP_ROWS(p, g) ((p).rows[g])
#endif

/* The first row of a group in A. */
#ifndef FIRST_ROW
#define FIRST_ROW(p, g) ((p).begin[g])
#endif

enum { STEP = 128, TILE = 16, BLOCK = 32 };

struct arguments {
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	GLOBAL u16 *c;
	const GLOBAL u64 *begin;
	const GLOBAL u32 *rows;
	u32 N, K;
};

/* Lane (row r, part q) has 16 elements from 16 q on, in each half of the step. */
INLINE i32x8 load_codes(buffer b, u32 row, u32 K, u32 step) {
	u32 k = step * STEP + LANE() / 16 * 16, at = (row + LANE() % 16) * K + k;
	u32x4 low = __builtin_amdgcn_raw_buffer_load_b128(b, k < K ? at : OUT_OF_RANGE, 0, 0);
	u32x4 high = __builtin_amdgcn_raw_buffer_load_b128(
		b, k + STEP / 2 < K ? at + STEP / 2 : OUT_OF_RANGE, 0, 0);
	return (i32x8){ low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
}

/* The scale of block q; past K it is 2^-127, multiplied by zeros. */
INLINE u32 load_scale(buffer b, u32 row, u32 blocks, u32 step) {
	u32 block = step * (STEP / BLOCK) + LANE() / 16;
	u32 at = (row + LANE() % 16) * blocks + block;
	return __builtin_amdgcn_raw_buffer_load_b8(b, block < blocks ? at : OUT_OF_RANGE, 0, 0);
}

KERNEL(64) void mxfp8_grouped(struct arguments p) {
	u32 g = __builtin_amdgcn_workgroup_id_z(), rows = GROUP_ROWS(p, g), N = p.N, K = p.K;
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE, blocks = K / BLOCK;
	u64 begin = p.begin[g], from = FIRST_ROW(p, g), weights = (u64)g * N;
	if (row >= rows)
		return;
	buffer a = make_buffer(p.a + from * K, rows * K);
	buffer a_scales = make_buffer(p.a_scales + from * blocks, rows * blocks);
	buffer b = make_buffer(p.b + weights * K, N * K);
	buffer b_scales = make_buffer(p.b_scales + weights * blocks, N * blocks);
	buffer c = make_buffer(p.c + begin * N, rows * N * 2);
	f32x4 acc = { 0 };

	for (u32 step = 0; step * STEP < K; step++) {
		i32x8 x = load_codes(a, row, K, step), y = load_codes(b, col, K, step);
		u32 sx = load_scale(a_scales, row, blocks, step);
		u32 sy = load_scale(b_scales, col, blocks, step);
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x, y, acc, 0, 0, 0, sx, 0,
		                                                       sy);
	}
#pragma unroll
	for (u32 r = 0; r < 4; r++) {
		u32 j = col + LANE() % 16, i = row + 4 * (LANE() / 16) + r;
		float value = acc[r];
		__builtin_amdgcn_raw_buffer_store_b16(bf16_rne(value), c,
		                                      j < N ? (i * N + j) * 2 : OUT_OF_RANGE, 0, 0);
	}
}
