/* Common parts of the GEMMs of MX formats for gfx1250: C[M][N] = A[M][K] * B[N][K]^T in f32, or
 * rounded to the type OUTPUT of 2 bytes; with E8M0 scales on 32-blocks of K, or scales in the format
 * BLOCKS_OF_16 on 16-blocks (of E2M1 alone). For device code only. The kernel's file defines before:
 * FORMAT_A and FORMAT_B, STEP (of K, a multiple of 128), BUFFERS (stages in LDS) and WAVES_N.
 *
 * A and B are row-major and packed, the scales row-major with ld_scale bytes a row (those past K
 * are ignored). Any M and N; K a multiple of a block. Matrices may exceed 4 GiB.
 *
 * A workgroup of 4 waves computes a tile of 128x128, each wave a part of it: WAVES_N waves are side
 * by side. Tiles of codes come to LDS by tensor copies. Their descriptors have the bounds: what is
 * past M, N and K becomes zeros, and the store of C leaves it out. */
#ifndef GFX1250_TILE_H
#define GFX1250_TILE_H

#include "../gfx1250.h"

#ifndef OUTPUT
#define OUTPUT float
#endif

/* The scales of 128 elements of a row. */
#ifdef BLOCKS_OF_16
enum { BLOCK = 16, SCALES = BLOCKS_OF_16 };
typedef long scale_word;
#define WMMA_SCALE_FP4 __builtin_amdgcn_wmma_scale16_f32_32x16x128_f4
#else
enum { BLOCK = 32, SCALES = SCALES_E8M0 };
typedef int scale_word;
#define WMMA_SCALE_FP4 __builtin_amdgcn_wmma_scale_f32_32x16x128_f4
#endif

enum {
	TILE = 128,
	WAVES = 4,
	WAVE_ROWS = TILE * WAVES_N / WAVES,
	WAVE_COLS = TILE / WAVES_N,
	FRAGS_M = WAVE_ROWS / FRAGMENT,
	FRAGS_N = WAVE_COLS / FRAGMENT,
	STEP_BLOCKS = STEP / BLOCK,           /* bytes of scales of a row in a step */
	BYTES_A = CODE_BYTES(FORMAT_A, STEP), /* of a row in a step */
	BYTES_B = CODE_BYTES(FORMAT_B, STEP),
	PITCH_A = BYTES_A + 16, /* of a row in LDS: 16 lanes that read 16 rows use all banks */
	PITCH_B = BYTES_B + 16,
};

/* A step's tiles in LDS, of A and of B. */
struct stage {
	u8 codes_a[TILE * PITCH_A], codes_b[TILE * PITCH_B], scales[2][TILE * STEP_BLOCKS];
};

/* The product takes the place of the steps. */
SHARED union {
	struct stage stages[BUFFERS];
	OUTPUT c[WAVES][WAVE_ROWS * WAVE_COLS];
} lds;

struct matrices {
	GLOBAL OUTPUT *c;
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
		WAVE() / WAVES_N * WAVE_ROWS,
		WAVE() % WAVES_N * WAVE_COLS,
	};
}

/* ---- copies ---- */

/* The tile of codes, or of scales, of A or B in step 0. */
INLINE struct tile find_tile(const struct matrices *m, const struct position *at, bool of_b,
                             bool of_scales) {
	u32 row_bytes = of_b ? CODE_BYTES(FORMAT_B, m->K) : CODE_BYTES(FORMAT_A, m->K);
	u32 first = of_b ? at->col : at->row, stride = of_scales ? m->ld_scale : row_bytes;
	const GLOBAL u8 *codes = of_b ? m->b : m->a, *scales = of_b ? m->scales_b : m->scales_a;
	u32 step_bytes = of_b ? BYTES_B : BYTES_A;
	LDS struct stage *s = &lds.stages[0];
	LDS u8 *place = of_b ? s->codes_b : s->codes_a;
	u32 padding = of_b ? PAD_16_AFTER(BYTES_B) : PAD_16_AFTER(BYTES_A);
	return (struct tile){
		.flags = of_scales ? 0 : padding,
		.columns = of_scales ? STEP_BLOCKS : step_bytes,
		.rows = TILE,
		.right = of_scales ? m->K / BLOCK : row_bytes,
		.below = rest(of_b ? m->N : m->M, first),
		.stride = stride,
		.memory = (of_scales ? scales : codes) + (u64)first * stride,
		.lds = of_scales ? s->scales[of_b] : place,
	};
}

/* The same in step s, to a stage. After the last step it is of zeros, so that as many copies as
 * always are in flight. */
INLINE void copy_step(struct tile t, u32 s, u32 stage) {
	t.memory += (u64)s * t.columns;
	t.right = rest(t.right, s * t.columns);
	t.lds += stage * sizeof(struct stage);
	load_tile(&t);
}

INLINE u32 next_stage(u32 stage) {
	return stage + 1 < BUFFERS ? stage + 1 : 0;
}

/* ---- operands in registers ---- */

/* Of 128 elements of K. Lanes 0 to 15 have the scales of a fragment, lanes 16 to 31 those of the
 * next one. */
struct operands {
	i32x16 a[FRAGS_M], b[FRAGS_N];
	scale_word scales_a[FRAGS_M / 2], scales_b[FRAGS_N / 2];
};

INLINE void read_fragments(const LDS u8 *rows, u32 pitch, u32 format, u32 n, i32x16 to[]) {
#pragma unroll
	for (u32 i = 0; i < n; i++)
		to[i] = read_codes(rows + i * FRAGMENT * pitch, pitch, format);
}

INLINE void read_scales(const LDS u8 *rows, u32 n, scale_word to[]) {
#pragma unroll
	for (u32 i = 0; i < n / 2; i++)
		to[i] = *(const LDS scale_word *)(rows + (i * 2 * FRAGMENT + LANE()) * STEP_BLOCKS);
}

/* Part k of the step. */
INLINE void read_a(const LDS struct stage *s, u32 row, u32 k, struct operands *to) {
	read_fragments(s->codes_a + row * PITCH_A + k * CODE_BYTES(FORMAT_A, WMMA_K), PITCH_A,
	               FORMAT_A, FRAGS_M, to->a);
	read_scales(s->scales[0] + row * STEP_BLOCKS + k * WMMA_K / BLOCK, FRAGS_M, to->scales_a);
}

INLINE void read_scales_b(const LDS struct stage *s, u32 col, u32 k, struct operands *to) {
	read_scales(s->scales[1] + col * STEP_BLOCKS + k * WMMA_K / BLOCK, FRAGS_N, to->scales_b);
}

INLINE void read_operands(const LDS struct stage *s, const struct position *at, u32 k,
                          struct operands *to) {
	u32 col = at->wave_col;
	read_a(s, at->wave_row, k, to);
	read_fragments(s->codes_b + col * PITCH_B + k * CODE_BYTES(FORMAT_B, WMMA_K), PITCH_B,
	               FORMAT_B, FRAGS_N, to->b);
	read_scales_b(s, col, k, to);
}

/* The half of the lanes that has the scales is a constant of the instruction. */
#ifndef SCALE_HALF
#define SCALE_HALF(half) half
#endif
#define WMMA(i, half_a, j, half_b)                                                                 \
	acc[i + half_a][j + half_b] = __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(            \
		FORMAT_A, x->a[i + half_a], FORMAT_B, x->b[j + half_b], 0,                         \
		acc[i + half_a][j + half_b], SCALE_HALF(half_a), SCALES,                           \
		(int)x->scales_a[(i) / 2], SCALE_HALF(half_b), SCALES, (int)x->scales_b[(j) / 2],  \
		0, 0)

INLINE i32x16 join_codes(i32x16 x, i32x16 y) {
	x.hi = y.lo;
	return x;
}

INLINE f32x16 join_sums(f32x8 x, f32x8 y) {
	f32x16 both;
	both.lo = x;
	both.hi = y;
	return both;
}

INLINE void split_sums(f32x16 both, f32x8 *x, f32x8 *y) {
	*x = both.lo;
	*y = both.hi;
}

/* Two fragments of A at once, of codes of 4 bits; each lane has a scale of A. */
#define WMMA_FP4(i, j, half_b)                                                                     \
	split_sums(WMMA_SCALE_FP4(join_codes(x->a[i], x->a[i + 1]), x->b[j + half_b].lo, 0,        \
	                          join_sums(acc[i][j + half_b], acc[i + 1][j + half_b]), 0,        \
	                          SCALES, x->scales_a[(i) / 2], SCALE_HALF(half_b), SCALES,        \
	                          x->scales_b[(j) / 2], 0, 0),                                     \
	           &acc[i][j + half_b], &acc[i + 1][j + half_b])

INLINE void multiply(const struct operands *x, f32x8 acc[FRAGS_M][FRAGS_N]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS_M; i += 2)
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j += 2) {
			if (FORMAT_A == E2M1 && FORMAT_B == E2M1) {
				WMMA_FP4(i, j, 0);
				WMMA_FP4(i, j, 1);
				continue;
			}
			WMMA(i, 0, j, 0);
			WMMA(i, 0, j, 1);
			WMMA(i, 1, j, 0);
			WMMA(i, 1, j, 1);
		}
}

INLINE void multiply_stage(const LDS struct stage *s, const struct position *at,
                           f32x8 acc[FRAGS_M][FRAGS_N]) {
#pragma unroll
	for (u32 k = 0; k < STEP / WMMA_K; k++) {
		struct operands x;
		read_operands(s, at, k, &x);
		multiply(&x, acc);
	}
}

/* ---- the product, through LDS to C ---- */

/* Element v of a lane is row 8 (lane / 16) + v of its fragment, column lane % 16. */
INLINE void write_product(LDS OUTPUT *to, f32x8 acc[FRAGS_M][FRAGS_N]) {
	to += LANE() / FRAGMENT * 8 * WAVE_COLS + LANE() % FRAGMENT;
#pragma unroll
	for (u32 i = 0; i < FRAGS_M; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
#pragma unroll
			for (u32 v = 0; v < 8; v++)
				to[(i * FRAGMENT + v) * WAVE_COLS + j * FRAGMENT] =
					(OUTPUT)acc[i][j][v];
}

/* After the last step, whose tiles other waves may still read. */
INLINE void store_product(const struct matrices *m, const struct position *at,
                          f32x8 acc[FRAGS_M][FRAGS_N]) {
	u32 row = at->row + at->wave_row, col = at->col + at->wave_col;
	LDS_BARRIER();
	write_product(lds.c[WAVE()], acc);
	WAIT_DSCNT(0);
	store_tile(&(struct tile){ .flags = sizeof(OUTPUT) == 2 ? TILE_OF_HALVES : TILE_OF_DWORDS,
	                           .columns = WAVE_COLS,
	                           .rows = WAVE_ROWS,
	                           .right = rest(m->N, col),
	                           .below = rest(m->M, row),
	                           .stride = m->N,
	                           .memory = (GLOBAL u8 *)(m->c + (u64)row * m->N + col),
	                           .lds = (LDS u8 *)lds.c[WAVE()] });
	WAIT_TENSORCNT(0); /* LDS ends with the workgroup */
}

#endif
