/* MXFP8 GEMM with an epilogue: D[M][N] = alpha * A[M][K] * B[N][K]^T + beta * C[M][N] + bias[N] in
 * bf16, nearest even.
 *
 * A and B are row-major E4M3, scales row-major with K/32 bytes a row; C is bf16, the bias f32. D
 * may be C. Any M and N; K a multiple of 32; each matrix, with rows up to a multiple of 32, is below
 * 2 GiB. If beta is 0, C is not read, as in BLAS, so NaN in C has no effect.
 *
 * A workgroup is one wave, which computes a tile of 32x32. Operands are loaded directly to
 * registers, and each lane applies the epilogue to its elements there:
 *
 *   x = alpha acc;  z = fma(beta, C, x), or x if beta is 0;  D = z + bias */
#include "../mxfp8.h"

/* Whether C is read. */
#ifndef READS_C
#define READS_C(beta) ((beta) != 0)
#endif

/* The index of an element's bias. */
#ifndef BIAS_OF
#define BIAS_OF(row, col) ((void)(row), (col))
#endif

struct arguments {
	GLOBAL u8 *d;
	const GLOBAL u8 *a, *a_scales, *b, *b_scales, *c, *bias;
	u32 M, N, K;
	float alpha, beta;
};

/* ---- the product ---- */

struct operand {
	buffer codes, scales;
};

INLINE struct operand make_operand(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u32 row,
                                   u32 rows, u32 K) {
	u32 left = rows - row, blocks = K / BLOCK;
	return (struct operand){
		make_buffer(codes + (u64)row * K, left * K),
		make_buffer(scales + (u64)row * blocks, left * blocks),
	};
}

/* Past K it loads zeros: codes, with a scale of 2^-127. */
INLINE void load(const struct operand *x, u32 k, u32 K, u32x4 codes[FRAGS][2], u32 scales[FRAGS]) {
	u32 block = k / BLOCK + LANE() / 16, blocks = K / BLOCK;
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++) {
		u32 at = (i * FRAGMENT + LANE() % 16) * blocks + block;
#pragma unroll
		for (u32 half = 0; half < 2; half++)
			codes[i][half] = __builtin_amdgcn_raw_buffer_load_b128(
				x->codes, code_offset(i, half, k, K), 0, 0);
		scales[i] = __builtin_amdgcn_raw_buffer_load_b8(
			x->scales, block < blocks ? at : OUT_OF_RANGE, 0, 0);
	}
}

INLINE void multiply_tile(const struct operand *a, const struct operand *b, u32 K,
                          f32x4 acc[FRAGS][FRAGS]) {
	for (u32 k = 0; k < K; k += STEP) {
		u32x4 codes_a[FRAGS][2], codes_b[FRAGS][2];
		u32 scales_a[FRAGS], scales_b[FRAGS];
		load(a, k, K, codes_a, scales_a);
		load(b, k, K, codes_b, scales_b);
		multiply(codes_a, codes_b, scales_a, scales_b, acc);
	}
}

/* ---- the epilogue ---- */

INLINE void scale(float alpha, f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS * FRAGS; i++)
		acc[i / FRAGS][i % FRAGS] *= alpha;
}

/* Element r of a lane is row 4 (lane / 16) + r of its fragment, column lane % 16. Elements past the
 * matrix are 0 and are not stored. */
INLINE void add_c(buffer c, u32 column, u32 N, float beta, f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++)
#pragma unroll
			for (u32 r = 0; r < 4; r++) {
				u32 row = i * FRAGMENT + 4 * (LANE() / 16) + r;
				u32 col = column + j * FRAGMENT + LANE() % 16;
				u32 bits = (u16)__builtin_amdgcn_raw_buffer_load_b16(
					c, col < N ? (row * N + col) * 2 : OUT_OF_RANGE, 0, 0);
				float x = __builtin_bit_cast(float, bits << 16);
				acc[i][j][r] = __builtin_fmaf(beta, x, acc[i][j][r]);
			}
}

INLINE void add_bias(buffer bias, u32 row, u32 column, f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++)
#pragma unroll
			for (u32 r = 0; r < 4; r++) {
				u32 at = BIAS_OF(row + i * FRAGMENT + 4 * (LANE() / 16) + r,
				                 column + j * FRAGMENT + LANE() % 16);
				u32 bits = __builtin_amdgcn_raw_buffer_load_b32(bias, at * 4, 0, 0);
				acc[i][j][r] += __builtin_bit_cast(float, bits);
			}
}

KERNEL(64) void mxfp8_epilogue(struct arguments p) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * WAVE_TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * WAVE_TILE;
	struct operand a = make_operand(p.a, p.a_scales, row, p.M, p.K);
	struct operand b = make_operand(p.b, p.b_scales, col, p.N, p.K);
	f32x4 acc[FRAGS][FRAGS] = {};
	u64 at = (u64)row * p.N * 2;
	u32 bytes = (p.M - row) * p.N * 2; /* of C and D, from the tile's first row on */
	multiply_tile(&a, &b, p.K, acc);
	scale(p.alpha, acc);
	if (READS_C(p.beta))
		add_c(make_buffer(p.c + at, bytes), col, p.N, p.beta, acc);
	add_bias(make_buffer(p.bias, p.N * 4), row, col, acc);
	store_tile(make_buffer(p.d + at, bytes), 0, col, p.N, 2, acc);
}
