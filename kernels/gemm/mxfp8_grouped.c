/* Persistent grouped MXFP8 GEMM of a mixture of experts for gfx950, as Primus-Turbo has it:
 * C_g[M_g][N] = A_g[M_g][K] * B_g[N][K]^T, in bf16 or f16; E4M3 or E5M2, E8M0 scales on 32-blocks
 * of K. The gradient of A is the same product with the transposed weights.
 *
 * In A each group is padded to a multiple of 128 rows and begins at padded[g]; C has no padding,
 * and group g begins at source[g] (see quantise/group_layout.c). Scales are in S32x8. Any number
 * and sizes of groups; N a multiple of 32, K of 128 and at least 384; 256 rows of each matrix are
 * below 2 GiB.
 *
 * Any number of workgroups. Each takes every n-th tile; it finds the group of a tile from the rows
 * of each group, because the host has only a bound on them. Rows of a tile past the group are past
 * the end of the descriptors, of A as of C. */
#include "mxfp8_output.h"

struct arguments {
	GLOBAL u8 *c;
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	const CONSTANT u32 *source, *padded;
	u32 groups, N, K;
};

/* ---- which tile ---- */

/* A tile, and the number of tiles before its group. */
struct tile {
	u32 g, before, number;
};

INLINE u32 rows_of(const struct arguments *p, u32 g) {
	return p->source[g + 1] - p->source[g];
}

/* Moves to the group that has tile t->number; false if there is none. */
INLINE u32 find_tile(const struct arguments *p, u32 tiles_n, struct tile *t) {
	while (t->g < p->groups) {
		u32 tiles = (rows_of(p, t->g) + TILE - 1) / TILE * tiles_n;
		if (t->number < t->before + tiles)
			return 1;
		t->before += tiles;
		t->g++;
	}
	return 0;
}

/* ---- a tile ---- */

/* The rows of a group that the output's descriptor has. */
#ifndef ROWS_STORED
#define ROWS_STORED(left) least(left, TILE)
#endif

/* Bytes of 32 rows of scales, which are padded to 8 columns. */
#ifndef SCALE_ROWS
#define SCALE_ROWS(K) (((K) / 32 + 7) / 8 * 256)
#endif

/* The row of scales at which those of a group begin. */
#ifndef SCALES_BEGIN
#define SCALES_BEGIN(p, g) ((p)->padded[g])
#endif

/* Waves 0 and 1 load scales of A, waves 2 and 3 those of B. */
INLINE struct source find_source(const struct arguments *p, u32 g, u32 row, u32 col) {
	u32 K = p->K, ld = SCALE_ROWS(K);
	u64 first_a = p->padded[g] + row, first_b = (u64)g * p->N + col;
	u32 rows = least(p->padded[g + 1] - p->padded[g] - row, TILE),
	    cols = least(p->N - col, TILE);
	u32x4 sa = rows_from(p->a_scales, (SCALES_BEGIN(p, g) + row) / 32, rows / 32, ld);
	u32x4 sb = rows_from(p->b_scales, first_b / 32, cols / 32, ld);
	return make_source(rows_from(p->a, first_a, rows, K), rows_from(p->b, first_b, cols, K),
	                   WAVE() < 2 ? sa : sb, K, ld);
}

INLINE void do_tile(struct formats m, enum type type, const struct arguments *p, u32 g, u32 row,
                    u32 col) {
	u32 N = p->N, rows = ROWS_STORED(rows_of(p, g) - row);
	struct source s = find_source(p, g, row, col);
	buffer c = make_buffer(p->c + ((u64)p->source[g] + row) * N * 2, rows * N * 2);
	multiply_steps(m, &s, p->K / STEP);
	store_tile(type, c, WAVE() / 2 * 128, col + WAVE() % 2 * 128, N);
}

INLINE void do_tiles(struct formats m, enum type type, const struct arguments *p) {
	u32 tiles_n = (p->N + TILE - 1) / TILE;
	struct tile t = { 0, 0, __builtin_amdgcn_workgroup_id_x() };
	while (find_tile(p, tiles_n, &t)) {
		u32 in_group = t.number - t.before;
		do_tile(m, type, p, t.g, in_group / tiles_n * TILE, in_group % tiles_n * TILE);
		t.number += __builtin_amdgcn_grid_size_x() / (64 * WAVES);
	}
}

#define GROUPED(name, a, b, type)                                                                  \
	KERNEL(256) void name(struct arguments p) {                                                \
		do_tiles((struct formats){ a, b }, type, &p);                                      \
	}

GROUPED(mxfp8_grouped_bf16, E4M3, E4M3, BF16)
GROUPED(mxfp8_grouped_f16, E4M3, E4M3, F16)
GROUPED(mxfp8_grouped_e5m2, E5M2, E5M2, BF16)
GROUPED(mxfp8_grouped_gradient, E5M2, E4M3, BF16)
