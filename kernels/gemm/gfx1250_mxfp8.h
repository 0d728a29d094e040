/* Common parts of the MXFP8 GEMMs for gfx1250: C[M][N] = A[M][K] * B[N][K]^T in f32, E4M3, E8M0
 * scales on 32-blocks of K. For device code only.
 *
 * A and B are row-major (K bytes a row), the scales row-major with ld_scale bytes a row (bytes past
 * K/32 are ignored). Any M and N; K a multiple of 32. Matrices may exceed 4 GiB.
 *
 * A workgroup of 4 waves computes a tile of 128x128, each wave 64x64 of it, in K steps of 128.
 * Tiles of codes come to LDS by tensor copies. Their descriptors have the bounds: what is past M, N
 * and K becomes zeros, and the store of C leaves it out. */
#ifndef GFX1250_MXFP8_H
#define GFX1250_MXFP8_H

#include "../gfx1250.h"

enum {
	TILE = 128,
	STEP = 128,
	WAVES = 4,
	WAVE_TILE = 64,
	FRAGS = WAVE_TILE / FRAGMENT,
	STEP_BLOCKS = STEP / BLOCK, /* bytes of scales of a row in a step */
	PITCH = STEP + 16, /* of a row in LDS: 16 lanes that read 16 rows spread over all banks */
};

/* A step's tiles in LDS, of A and of B. */
struct stage {
	u8 codes[2][TILE * PITCH], scales[2][TILE * STEP_BLOCKS];
};

/* The product takes the place of the steps. */
SHARED union {
	struct stage stages[BUFFERS];
	float c[WAVES][WAVE_TILE * WAVE_TILE];
} lds;

struct matrices {
	GLOBAL float *c;
	const GLOBAL u8 *a, *scales_a, *b, *scales_b;
	u32 M, N, K, ld_scale;
};

/* The workgroup's first row and column of C, and the wave's in these. */
struct position {
	u32 row, col, wave_row, wave_col;
};

INLINE struct position find_position(void) {
	return (struct position){
		__builtin_amdgcn_workgroup_id_y() * TILE,
		__builtin_amdgcn_workgroup_id_x() * TILE,
		WAVE() / 2 * WAVE_TILE,
		WAVE() % 2 * WAVE_TILE,
	};
}

/* ---- copies ---- */

/* The tile of codes, or of scales, of A or B in step 0. */
INLINE struct tile find_tile(const struct matrices *m, const struct position *at, bool of_b,
                             bool of_scales) {
	const GLOBAL u8 *codes = of_b ? m->b : m->a, *scales = of_b ? m->scales_b : m->scales_a;
	u32 first = of_b ? at->col : at->row, stride = of_scales ? m->ld_scale : m->K;
	struct stage LDS *s = &lds.stages[0];
	return (struct tile){
		.flags = of_scales ? 0 : PAD_16_AFTER_128,
		.columns = of_scales ? STEP_BLOCKS : STEP,
		.rows = TILE,
		.right = of_scales ? m->K / BLOCK : m->K,
		.below = rest(of_b ? m->N : m->M, first),
		.stride = stride,
		.memory = (of_scales ? scales : codes) + (u64)first * stride,
		.lds = of_scales ? s->scales[of_b] : s->codes[of_b],
	};
}

/* The same in step s. After the last step it is of zeros, so that as many copies as always are in
 * flight. */
INLINE void copy_step(struct tile t, u32 s) {
	t.memory += (u64)s * t.columns;
	t.right = rest(t.right, s * t.columns);
	t.lds += s % BUFFERS * sizeof(struct stage);
	load_tile(&t);
}

/* ---- a step's operands in registers ---- */

/* Of 64 rows. Lanes 0 to 15 have the scales of a fragment, lanes 16 to 31 those of the next one. */
struct operand {
	i32x16 codes[FRAGS];
	u32 scales[FRAGS / 2];
};

INLINE void read_operand(const LDS u8 *codes, const LDS u8 *scales, u32 row, struct operand *to) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
		to->codes[i] = read_codes8(codes + (row + i * FRAGMENT) * PITCH, PITCH);
#pragma unroll
	for (u32 i = 0; i < FRAGS / 2; i++)
		to->scales[i] = ((const LDS u32 *)scales)[row + i * 2 * FRAGMENT + LANE()];
}

/* row_a and row_b, the half of the lanes that has the scales, are constants of the instruction. */
#define WMMA(i, row_a, j, row_b)                                                                   \
	acc[i + row_a][j + row_b] = __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(              \
		E4M3, a->codes[i + row_a], E4M3, b->codes[j + row_b], 0,                           \
		acc[i + row_a][j + row_b], row_a, E8M0, (int)a->scales[(i) / 2], row_b, E8M0,      \
		(int)b->scales[(j) / 2], 0, 0)

INLINE void multiply(const struct operand *a, const struct operand *b, f32x8 acc[FRAGS][FRAGS]) {
	enum { E4M3 = 0, E8M0 = 0 };
#pragma unroll
	for (u32 i = 0; i < FRAGS; i += 2)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j += 2) {
			WMMA(i, 0, j, 0);
			WMMA(i, 0, j, 1);
			WMMA(i, 1, j, 0);
			WMMA(i, 1, j, 1);
		}
}

INLINE void multiply_stage(const LDS struct stage *s, const struct position *at,
                           f32x8 acc[FRAGS][FRAGS]) {
	struct operand a, b;
	read_operand(s->codes[0], s->scales[0], at->wave_row, &a);
	read_operand(s->codes[1], s->scales[1], at->wave_col, &b);
	multiply(&a, &b, acc);
}

/* ---- the product, through LDS to C ---- */

/* Element v of a lane is row 8 (lane / 16) + v of its fragment, column lane % 16. */
INLINE void write_product(LDS float *to, f32x8 acc[FRAGS][FRAGS]) {
	to += LANE() / FRAGMENT * 8 * WAVE_TILE + LANE() % FRAGMENT;
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++)
#pragma unroll
			for (u32 v = 0; v < 8; v++)
				to[(i * FRAGMENT + v) * WAVE_TILE + j * FRAGMENT] = acc[i][j][v];
}

/* After the last step, whose tiles other waves may still read. */
INLINE void store_product(const struct matrices *m, const struct position *at,
                          f32x8 acc[FRAGS][FRAGS]) {
	u32 row = at->row + at->wave_row, col = at->col + at->wave_col;
	LDS_BARRIER();
	write_product(lds.c[WAVE()], acc);
	WAIT_DSCNT(0);
	store_tile(&(struct tile){ .flags = TILE_OF_DWORDS,
	                           .columns = WAVE_TILE,
	                           .rows = WAVE_TILE,
	                           .right = rest(m->N, col),
	                           .below = rest(m->M, row),
	                           .stride = m->N,
	                           .memory = (GLOBAL u8 *)(m->c + (u64)row * m->N + col),
	                           .lds = (LDS u8 *)lds.c[WAVE()] });
	WAIT_TENSORCNT(0);
}

#endif
