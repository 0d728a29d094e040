/* The gradient of weights of a grouped MXFP8 GEMM for gfx950, as Primus-Turbo has it: C_g[N][K] =
 * A_g[N][M_g] * B_g[K][M_g]^T in bf16 or f16; E8M0 scales on 32-blocks of M_g.
 *
 * A [N][R] and B [K][R] have all groups side by side, each padded with zeros to a multiple of 128
 * columns, from padded[g] on (see quantise/group_layout.c). Scales are in S32x8. So the sum has
 * another length in each group; a group without rows gives 0. Any number and sizes of groups; N and
 * K multiples of 32; 256 rows of each matrix are below 2 GiB.
 *
 * Persistent, with any number of workgroups: each takes every n-th tile. */
#include "mxfp8_output.h"

struct arguments {
	GLOBAL u8 *c;
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	const CONSTANT u32 *padded;
	u32 groups, N, K;
};

/* The rows of a group that are summed. */
#ifndef SUMMED
#define SUMMED(begin, end) ((end) - (begin))
#endif

/* Which of the two steps of its scales is the first of a group. */
#ifndef PARITY
#define PARITY(begin) ((begin) / STEP % 2)
#endif

/* The product of a tile. */
#ifndef MULTIPLY
#define MULTIPLY multiply_any_steps
#endif

/* Whether the tiles of a group are stored. */
#ifndef IS_STORED
#define IS_STORED(rows) 1
#endif

/* `rows` rows of ld bytes from `row` on, without the first `begin` bytes. */
INLINE u32x4 columns_from(const GLOBAL u8 *base, u32 row, u32 rows, u32 ld, u32 begin) {
	return rows_from(base + begin, row, rows, ld) - (u32x4){ 0, 0, begin, 0 };
}

/* Scales of two steps are together, so those of a group may begin with the second one. */
INLINE struct source find_source(const struct arguments *p, u32 begin, u32 row, u32 col) {
	u32 R = p->padded[p->groups], ld = (R / 32 + 7) / 8 * 256;
	u32 rows = least(p->N - row, TILE), cols = least(p->K - col, TILE);
	u32x4 sa = rows_from(p->a_scales, row / 32, rows / 32, ld);
	u32x4 sb = rows_from(p->b_scales, col / 32, cols / 32, ld);
	struct source s =
		make_source(columns_from(p->a, row, rows, R, begin),
	                    columns_from(p->b, col, cols, R, begin), WAVE() < 2 ? sa : sb, R, ld);
	s.at_scales = begin / (2 * STEP) * 256;
	return s;
}

INLINE void do_tile(struct formats m, enum type type, const struct arguments *p, u32 g, u32 row,
                    u32 col) {
	u32 begin = p->padded[g], rows = SUMMED(begin, p->padded[g + 1]), N = p->N, K = p->K;
	struct source s = find_source(p, begin, row, col);
	buffer c = make_buffer(p->c + ((u64)g * N + row) * K * 2, least(N - row, TILE) * K * 2);
	MULTIPLY(m, &s, PARITY(begin), rows / STEP);
	if (IS_STORED(rows))
		store_tile(type, c, WAVE() / 2 * 128, col + WAVE() % 2 * 128, K);
}

INLINE void do_tiles(struct formats m, enum type type, const struct arguments *p) {
	u32 tiles_k = (p->K + TILE - 1) / TILE, tiles = (p->N + TILE - 1) / TILE * tiles_k;
	u32 step = __builtin_amdgcn_grid_size_x() / (64 * WAVES);
	for (u32 i = __builtin_amdgcn_workgroup_id_x(); i < p->groups * tiles; i += step)
		do_tile(m, type, p, i / tiles, i % tiles / tiles_k * TILE, i % tiles_k * TILE);
}

#define WGRAD(name, a, b, type)                                                                    \
	KERNEL(256) void name(struct arguments p) {                                                \
		do_tiles((struct formats){ a, b }, type, &p);                                      \
	}

WGRAD(mxfp8_wgrad_bf16, E5M2, E4M3, BF16)
WGRAD(mxfp8_wgrad_f16, E4M3, E4M3, F16)
