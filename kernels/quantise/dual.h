/* Quantisation along rows and along columns in one pass: of bf16 X[M][K], row-major, the codes
 * [R][K] with scales [R][K/32], and those of the transpose, [K][R] and [K][R/32]. For device code
 * only.
 *
 * A workgroup of 4 waves has a tile of 64x64. Its rows are quantised from registers, eight lanes to
 * a row; its columns from LDS, where a lane has 8 rows of two columns. So four lanes share a block
 * in either direction. In LDS each 8 rows have their dwords in another order, so that neither the
 * 32 lanes of a read nor the 8 lanes of a write have two in one bank.
 *
 * Rows of a tile past the end of the matrix, or of a group, are past the end of the descriptor, so
 * that they are zeros and are quantised as zeros. */
#ifndef DUAL_H
#define DUAL_H

#include "block.h"
#include "groups.h"

enum { TILE = 64, THREADS = 256, LDS_ROW = TILE / 2 };

/* What is between the reads of the tile and the writes of it. */
#ifndef TILE_BARRIER
#define TILE_BARRIER() LDS_BARRIER()
#endif

/* The rows of a group from one of its padded rows on. */
#ifndef ROWS_LEFT
#define ROWS_LEFT(rows, in_group) ((rows) > (in_group) ? (rows) - (in_group) : 0)
#endif

/* An offset in a row of `end` elements; elements past the end are stored nowhere. */
#ifndef WITHIN
#define WITHIN(at, end, offset) ((at) < (end) ? (offset) : OUT_OF_RANGE)
#endif

/* The rows of a tile that the outputs along rows have: also padding. */
#ifndef ROWS_STORED
#define ROWS_STORED(t) ((t)->R - (t)->row < TILE ? (t)->R - (t)->row : TILE)
#endif

/* The rows of the tile in LDS. */
#ifndef LDS_ROWS
#define LDS_ROWS TILE
#endif

struct arguments {
	const GLOBAL u8 *x;
	GLOBAL u8 *codes, *scales, *turned, *turned_scales;
	const CONSTANT u32 *source, *padded; /* of groups */
	const GLOBAL u8 *random;
	u32 groups, M, K;
};

/* A tile: the source from its first row on, and its place in the outputs. */
struct tile {
	buffer x, random;
	u32 rows; /* of the source; the others are padding */
	u32 row, col, R, K;
};

SHARED u32 pairs[LDS_ROWS * LDS_ROW];

INLINE u32 thread(void) {
	return WAVE() * 64 + LANE();
}

/* ---- rows ---- */

/* The outputs' rows from the tile's first on. */
INLINE buffer rows_of(GLOBAL u8 *base, const struct tile *t, u32 ld) {
	return make_buffer(base + (u64)t->row * ld, ROWS_STORED(t) * ld);
}

/* 8 elements of rows r and r + 32 of the tile. */
INLINE void load_tile(const struct tile *t, u32x4 x[2]) {
	u32 k = t->col + thread() % 8 * OF_LANE;
#pragma unroll
	for (u32 i = 0; i < 2; i++)
		x[i] = __builtin_amdgcn_raw_buffer_load_b128(
			t->x, ((thread() / 8 + 32 * i) * t->K + k) * 2, 0, 0);
}

/* The place of the dword with columns 2 i and 2 i + 1 of a row. */
INLINE u32 place_of(u32 row, u32 i) {
	return row * LDS_ROW + (i ^ row % 32 / 8 * 8);
}

INLINE void keep_tile(const u32x4 x[2]) {
#pragma unroll
	for (u32 i = 0; i < 2; i++)
		*(LDS u32x4 *)(pairs +
		               place_of(thread() / 8 + 32 * i, thread() % 8 * OF_LANE / 2)) = x[i];
}

INLINE void quantise_rows(struct method m, const struct arguments *p, const struct tile *t,
                          const u32x4 x[2]) {
	u32 K = t->K, k = t->col + thread() % 8 * OF_LANE;
	buffer codes = rows_of(p->codes, t, code_bytes(m.format, K));
	buffer scales = rows_of(p->scales, t, K / OF_BLOCK);
#pragma unroll
	for (u32 i = 0; i < 2; i++) {
		u32 row = thread() / 8 + 32 * i, random[OF_LANE] = {};
		float values[OF_LANE];
		widen_bf16(x[i], values);
		if (m.stochastic)
			load_random(t->random, (row * K + k) * 4, random);
		struct quantised q = quantise(m, values, random);
		u32 at = row * code_bytes(m.format, K) + code_bytes(m.format, k);
		store_codes(m.format, codes, WITHIN(k, K, at), q.codes);
		store_scale(scales, WITHIN(k, K, row * (K / OF_BLOCK) + k / OF_BLOCK), q.scale);
	}
}

/* ---- columns ---- */

/* The outputs' rows for the tile's columns. */
INLINE buffer cols_of(GLOBAL u8 *base, const struct tile *t, u32 ld) {
	u32 n = t->K - t->col < TILE ? t->K - t->col : TILE;
	return make_buffer(base + (u64)t->col * ld, n * ld);
}

/* Codes of padding are 0 also where their block has a NaN. Padding that shares a transform with
 * data has its results. */
INLINE struct codes without_padding(struct method m, const struct tile *t, u32 row,
                                    struct codes c) {
	u32 end = m.hadamard ? (t->rows + 15) & ~15u : t->rows, left = end > row ? end - row : 0;
	u64 bits = left < OF_LANE ? (1ull << code_bytes(m.format, 8 * left)) - 1 : ~0ull;
	return (struct codes){ c.low & (u32)bits, c.high & (u32)(bits >> 32) };
}

/* Quantises 8 elements of a column, which lie `row` rows from the tile's first. */
INLINE void quantise_column(struct method m, const struct arguments *p, const struct tile *t,
                            u32 row, u32 col, float x[OF_LANE], const u32 random[OF_LANE]) {
	u32 R = t->R, at = t->row + row;
	buffer codes = cols_of(p->turned, t, code_bytes(m.format, R));
	buffer scales = cols_of(p->turned_scales, t, R / OF_BLOCK);
	struct quantised q = quantise(m, x, random);
	u32 code = col * code_bytes(m.format, R) + code_bytes(m.format, at);
	store_codes(m.format, codes, WITHIN(at, R, code), without_padding(m, t, row, q.codes));
	store_scale(scales, WITHIN(at, R, col * (R / OF_BLOCK) + at / OF_BLOCK), q.scale);
}

INLINE void load_random_columns(const struct tile *t, u32 row, u32 col, u32 low[OF_LANE],
                                u32 high[OF_LANE]) {
#pragma unroll
	for (u32 i = 0; i < OF_LANE; i++) {
		u32x2 r = __builtin_amdgcn_raw_buffer_load_b64(
			t->random, ((row + i) * t->K + t->col + col) * 4, 0, 0);
		low[i] = r.x;
		high[i] = r.y;
	}
}

/* Columns col and col + 1, rows from `row` on. Lanes of a quad are below each other. */
INLINE void quantise_columns(struct method m, const struct arguments *p, const struct tile *t) {
	u32 row = thread() / 128 * OF_BLOCK + thread() % 4 * OF_LANE, col = thread() / 4 % 32 * 2;
	float low[OF_LANE], high[OF_LANE];
	u32 random_low[OF_LANE] = {}, random_high[OF_LANE] = {};
	if (m.stochastic)
		load_random_columns(t, row, col, random_low, random_high);
#pragma unroll
	for (u32 i = 0; i < OF_LANE; i++) {
		u32 pair = pairs[place_of(row, col / 2) + i * LDS_ROW];
		low[i] = FLOAT(pair << 16);
		high[i] = FLOAT(pair & 0xffff0000);
	}
	quantise_column(m, p, t, row, col, low, random_low);
	quantise_column(m, p, t, row, col + 1, high, random_high);
}

/* ---- kernels ---- */

INLINE void quantise_tile(struct method m, const struct arguments *p, const struct tile *t) {
	u32x4 x[2];
	load_tile(t, x);
	if (m.format != E2M1)
		saturate_fp8();
	keep_tile(x);
	quantise_rows(m, p, t, x);
	TILE_BARRIER();
	quantise_columns(m, p, t);
}

/* `left` rows of the source from `from` on. */
INLINE struct tile make_tile(const struct arguments *p, u64 from, u32 left, u32 row, u32 R) {
	u32 rows = left < TILE ? left : TILE, K = p->K;
	return (struct tile){
		make_buffer(p->x + from * K * 2, rows * K * 2),
		make_buffer(p->random + from * K * 4, rows * K * 4),
		rows,
		row,
		__builtin_amdgcn_workgroup_id_x() * TILE,
		R,
		K,
	};
}

/* One matrix; M is a multiple of 32. */
INLINE void quantise_dual(struct method m, const struct arguments *p) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	struct tile t = make_tile(p, row, p->M - row, row, p->M);
	quantise_tile(m, p, &t);
}

/* Groups, padded to a multiple of 128 with rows of zeros. The host launches enough workgroups for
 * any division of the rows into groups. */
INLINE void quantise_groups(struct method m, const struct arguments *p) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE, R = p->padded[p->groups];
	if (row >= R)
		return;
	u32 g = find_group(p->padded, p->groups, row), in_group = row - p->padded[g];
	u32 begin = p->source[g], rows = p->source[g + 1] - begin;
	struct tile t = make_tile(p, (u64)begin + in_group, ROWS_LEFT(rows, in_group), row, R);
	quantise_tile(m, p, &t);
}

#define DUAL_KERNELS(format, ...)                                                                  \
	STREAM_KERNEL(THREADS) void format##_dual(struct arguments p) {                            \
		quantise_dual((struct method){ __VA_ARGS__ }, &p);                                 \
	}                                                                                          \
	STREAM_KERNEL(THREADS) void format##_groups(struct arguments p) {                          \
		quantise_groups((struct method){ __VA_ARGS__ }, &p);                               \
	}

#endif
