/* The gradient of weights of a grouped MXFP8 GEMM: C_g[N][K] = A_g[N][M_g] * B_g[K][M_g]^T in f32,
 * E4M3. Group g has columns begin[g] to begin[g] + rows[g] of A and B, which have a stride of `ld`.
 *
 * Groups begin at multiples of 32, and codes between a group and the next are 0. A wave computes a
 * 16x16 tile in steps of 128; a group without rows gives 0. */
#include "../../kernels/gfx950.h"

/* Whether a group without rows has a product. */
#ifndef SKIPS
#define SKIPS(rows) 0
#endif
/* The end of a group's steps. */
#ifndef END
#define END(begin, rows) ((begin) + ((rows) + BLOCK - 1) / BLOCK * BLOCK)
#endif

/* The element of C at which a group begins. */
#ifndef GROUP_AT
#define GROUP_AT(g, N, K) ((u64)(g) * (N) * (K))
#endif

enum { STEP = 128, TILE = 16, BLOCK = 32 };

struct arguments {
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	GLOBAL float *c;
	const GLOBAL u64 *begin;
	const GLOBAL u32 *rows;
	u32 N, K, ld;
};

/* Lane (row r, part q) has 16 elements from 16 q on, in each half of the step. */
INLINE i32x8 load_codes(buffer b, u32 row, u32 ld, u32 k, u32 end) {
	u32 first = k + LANE() / 16 * 16, second = first + STEP / 2;
	u32 line = (row + LANE() % 16) * ld;
	u32x4 x = __builtin_amdgcn_raw_buffer_load_b128(
		b, first < end ? line + first : OUT_OF_RANGE, 0, 0);
	u32x4 y = __builtin_amdgcn_raw_buffer_load_b128(
		b, second < end ? line + second : OUT_OF_RANGE, 0, 0);
	return (i32x8){ x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w };
}

INLINE u32 load_scale(buffer b, u32 row, u32 ld, u32 k, u32 end) {
	u32 block = k / BLOCK + LANE() / 16, at = (row + LANE() % 16) * (ld / BLOCK) + block;
	return __builtin_amdgcn_raw_buffer_load_b8(b, block < end / BLOCK ? at : OUT_OF_RANGE, 0,
	                                           0);
}

KERNEL(64) void mxfp8_wgrad(struct arguments p) {
	u32 g = __builtin_amdgcn_workgroup_id_z(), rows = p.rows[g], N = p.N, K = p.K, ld = p.ld;
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 begin = p.begin[g], end = END(begin, rows);
	buffer a = make_buffer(p.a, N * ld), a_scales = make_buffer(p.a_scales, N * (ld / BLOCK));
	buffer b = make_buffer(p.b, K * ld), b_scales = make_buffer(p.b_scales, K * (ld / BLOCK));
	buffer c = make_buffer(p.c + GROUP_AT(g, N, K), N * K * 4);
	f32x4 acc = { 0 };

	if (SKIPS(rows))
		return;
	for (u32 k = begin; k < end; k += STEP) {
		i32x8 x = load_codes(a, row, ld, k, end), y = load_codes(b, col, ld, k, end);
		u32 sx = load_scale(a_scales, row, ld, k, end);
		u32 sy = load_scale(b_scales, col, ld, k, end);
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x, y, acc, 0, 0, 0, sx, 0,
		                                                       sy);
	}
#pragma unroll
	for (u32 r = 0; r < 4; r++) {
		u32 j = col + LANE() % 16, i = row + 4 * (LANE() / 16) + r;
		float value = acc[r];
		__builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(u32, value), c,
		                                      j < K ? (i * K + j) * 4 : OUT_OF_RANGE, 0, 0);
	}
}
