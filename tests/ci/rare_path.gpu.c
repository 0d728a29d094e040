/* A14: an MXFP4 GEMM with a path of its own for each remainder of K, in steps of 512. That of 384
 * leaves out its last step for a single row. Few shapes reach the path, and fewer the bug. */
#include "../../kernels/gfx950.h"

enum { TILE = 16, STEP = 128, BLOCK = 32, UNROLLED = 4 * STEP };

struct operand {
	buffer codes, scales;
	u32 row, K;
};

struct fragment {
	i32x8 codes;
	u32 scale;
};

INLINE struct operand make_operand(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u32 rows,
                                   u32 tile, u32 K) {
	return (struct operand){
		make_buffer(codes, rows * (K / 2)),
		make_buffer(scales, rows * (K / BLOCK)),
		tile * TILE + LANE() % TILE,
		K,
	};
}

/* Zeros past K. */
INLINE struct fragment load(const struct operand *x, u32 k) {
	u32 block = k / BLOCK + LANE() / TILE, at = x->row * (x->K / BLOCK) + block;
	u32 in = block < x->K / BLOCK;
	u32x4 c =
		__builtin_amdgcn_raw_buffer_load_b128(x->codes, in ? at * 16 : OUT_OF_RANGE, 0, 0);
	return (struct fragment){
		{ c.x, c.y, c.z, c.w, 0, 0, 0, 0 },
		__builtin_amdgcn_raw_buffer_load_b8(x->scales, in ? at : OUT_OF_RANGE, 0, 0),
	};
}

INLINE f32x4 step(const struct operand *a, const struct operand *b, u32 k, f32x4 acc) {
	struct fragment x = load(a, k), y = load(b, k);
	return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x.codes, y.codes, acc, 4, 4, 0,
	                                                        x.scale, 0, y.scale);
}

INLINE f32x4 remainder(const struct operand *a, const struct operand *b, u32 k, u32 M, f32x4 acc) {
	if (a->K - k == 384) {
		acc = step(a, b, k, acc);
		acc = step(a, b, k + STEP, acc);
		if (M != 1)
			acc = step(a, b, k + 2 * STEP, acc);
		return acc;
	}
	for (; k < a->K; k += STEP)
		acc = step(a, b, k, acc);
	return acc;
}

KERNEL(64)
void rare_path(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
               const GLOBAL u8 *SB, u32 M, u32 N, u32 K) {
	u32 row = __builtin_amdgcn_workgroup_id_y(), col = __builtin_amdgcn_workgroup_id_x();
	struct operand a = make_operand(A, SA, M, row, K), b = make_operand(B, SB, N, col, K);
	f32x4 acc = {};
	u32 k = 0;
	for (; k + UNROLLED <= K; k += UNROLLED)
#pragma unroll
		for (u32 i = 0; i < UNROLLED; i += STEP)
			acc = step(&a, &b, k + i, acc);
	acc = remainder(&a, &b, k, M, acc);
	for (u32 r = 0; r < 4; r++) {
		u32 to = row * TILE + LANE() / TILE * 4 + r;
		if (to < M && b.row < N)
			C[to * N + b.row] = acc[r];
	}
}
