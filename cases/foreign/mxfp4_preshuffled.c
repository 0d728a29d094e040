/* MXFP4 GEMM on packed operands: C[M][N] = A[M][K] * B[N][K]^T in f32.
 *
 * A is row-major. B is preshuffled, [N/16][K/32][16 n][16 bytes], so that the 64 lanes of an
 * instruction's operand are 1024 contiguous bytes. Scales are S32x8: in a tile of 32 rows and 8
 * blocks, the dword of lane l holds rows l % 16 and l % 16 + 16 of blocks l / 16 and l / 16 + 4, in
 * bytes 2 (block / 4) + row / 16. The instruction selects one of the bytes.
 *
 * A wave computes a 32x32 tile in steps of 256. Any M and N, K a multiple of 32. Rows of B are
 * padded to 32, its columns with zeros; padding of scales must not be 0xFF. Matrices are below 2
 * GiB, with rows up to a multiple of 32. */
#include "../../kernels/gfx950.h"

/* The columns of S32x8 for `blocks` valid ones. */
#ifndef SCALE_COLUMNS
#define SCALE_COLUMNS(blocks) (((blocks) + 7) / 8 * 8)
#endif

/* Whether a byte of a row's codes is one of K. */
#ifndef IS_IN_K
#define IS_IN_K(k, K) ((k) < (K) / 2)
#endif

enum { STEP = 256, STEP_BYTES = STEP / 2, TILE = 32, HALF_STEP = STEP_BYTES / 2 };

struct arguments {
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	GLOBAL float *c;
	u32 M, N, K;
};

INLINE i32x8 fp4(u32x4 x) {
	return (i32x8){ x.x, x.y, x.z, x.w, 0, 0, 0, 0 };
}

INLINE u32 round_up(u32 x, u32 multiple) {
	return (x + multiple - 1) / multiple * multiple;
}

/* 32 elements of row l % 16, from element 32 (l / 16) of half a step on. */
INLINE u32x4 load_a(buffer a, u32 row, u32 K, u32 k_byte) {
	u32 k = k_byte + LANE() / 16 * 16;
	u32 offset = IS_IN_K(k, K) ? (row + LANE() % 16) * (K / 2) + k : OUT_OF_RANGE;
	return __builtin_amdgcn_raw_buffer_load_b128(a, offset, 0, 0);
}

INLINE u32x4 load_b(buffer b, u32 row, u32 K, u32 k_byte) {
	u32 k = k_byte + LANE() / 16 * 16;
	u32 offset = IS_IN_K(k, K) ? row * (K / 2) + k * 16 + LANE() % 16 * 16 : OUT_OF_RANGE;
	return __builtin_amdgcn_raw_buffer_load_b128(b, offset, 0, 0);
}

INLINE u32 load_scales(buffer s, u32 row, u32 columns, u32 step) {
	return __builtin_amdgcn_raw_buffer_load_b32(s, row * columns + step * 256 + LANE() * 4, 0,
	                                            0);
}

#define MFMA(a, b, c, byte_a, sa, byte_b, sb)                                                      \
	__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(fp4(a), fp4(b), c, 4, 4, byte_a, sa,      \
	                                                 byte_b, sb)

/* Half a step: four products of 16 rows of A and 16 of B. */
#define HALF(half)                                                                                 \
	do {                                                                                       \
		u32 k = step * STEP_BYTES + half * HALF_STEP;                                      \
		u32x4 a0 = load_a(a, row, K, k), a1 = load_a(a, row + 16, K, k);                   \
		u32x4 b0 = load_b(b, col, K, k), b1 = load_b(b, col + 16, K, k);                   \
		acc[0][0] = MFMA(a0, b0, acc[0][0], 2 * half, sa, 2 * half, sb);                   \
		acc[0][1] = MFMA(a0, b1, acc[0][1], 2 * half, sa, 2 * half + 1, sb);               \
		acc[1][0] = MFMA(a1, b0, acc[1][0], 2 * half + 1, sa, 2 * half, sb);               \
		acc[1][1] = MFMA(a1, b1, acc[1][1], 2 * half + 1, sa, 2 * half + 1, sb);           \
	} while (0)

/* Register r of lane l is row 4 (l / 16) + r, column l % 16. Rows past M are past the buffer's end;
 * columns past N use an offset past it. */
INLINE void store(buffer c, u32 row, u32 col, u32 N, f32x4 x) {
#pragma unroll
	for (u32 r = 0; r < 4; r++) {
		u32 j = col + LANE() % 16, i = row + 4 * (LANE() / 16) + r;
		u32 offset = j < N ? (i * N + j) * 4 : OUT_OF_RANGE;
		float value = x[r]; /* clang's bit_cast of x[r] reads x[0] */
		__builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(u32, value), c, offset, 0,
		                                      0);
	}
}

KERNEL(64) void mxfp4_preshuffled(struct arguments p) {
	u32 M = p.M, N = p.N, K = p.K, columns = SCALE_COLUMNS(K / 32);
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	buffer a = make_buffer(p.a, M * (K / 2)), c = make_buffer(p.c, M * N * 4);
	buffer b = make_buffer(p.b, round_up(N, TILE) * (K / 2));
	buffer a_scales = make_buffer(p.a_scales, round_up(M, TILE) * columns);
	buffer b_scales = make_buffer(p.b_scales, round_up(N, TILE) * columns);
	f32x4 acc[2][2] = { 0 };

	for (u32 step = 0; step * STEP < K; step++) {
		u32 sa = load_scales(a_scales, row, columns, step);
		u32 sb = load_scales(b_scales, col, columns, step);
		HALF(0);
		HALF(1);
	}
#pragma unroll
	for (u32 i = 0; i < 2; i++)
#pragma unroll
		for (u32 j = 0; j < 2; j++)
			store(c, row + 16 * i, col + 16 * j, N, acc[i][j]);
}
