/* Blocks of 32 f32 to codes in integer arithmetic, 16 elements at a time, compiled for AVX-512
 * and for the target of the build. Nearest even; the caller handles blocks with special values. */
#include "cpu.h"
#include "number.h"
#include "quantize.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* RUN: blocks of which the scales are computed together. */
enum { RUN = 32, BLOCK_BYTES = 4 * MX_BLOCK, HALF_BYTES = BLOCK_BYTES / 2 };

typedef uint32_t word_at __attribute__((aligned(1), may_alias));
typedef uint32_t words __attribute__((vector_size(64)));
typedef int32_t integers __attribute__((vector_size(64)));
typedef uint64_t pairs __attribute__((vector_size(64)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* NEGATIVE: all ones in lanes below 0 as signed numbers. SELECT: a choice for each lane. */
#define NEGATIVE(v)        ((words)((integers)(v) >> 31))
#define SELECT(mask, a, b) (((words)(mask) & (a)) | (~(words)(mask) & (b)))

struct shape {
	unsigned bits, man;
	int least; /* f32 exponent field of the smallest normal element */
	uint32_t max;
};

INLINE struct shape shape_of(struct mx_format_info t) {
	return (struct shape){ t.bits, t.man_bits, 128 - t.bias, mx_max_finite(&t) };
}

/* The largest magnitude; NaN is above all numbers. */
INLINE uint32_t largest(const uint8_t *x) {
	const word_at *at = (const word_at *)x;
	uint32_t m = 0;
	for (int i = 0; i < MX_BLOCK; i++) {
		uint32_t v = at[i] & ~MX_F32_SIGN;
		m = v > m ? v : m;
	}
	return m;
}

/* Nearest-even codes of x * 2^k, as by mx_round_code, for 16 finite x with a k for each lane.
 * A subnormal x counts as at least 2^-126; with k <= 95 both values are far below half the
 * least element and round to zero. */
INLINE void encode16(struct shape f, const uint8_t *x, words k, words *codes) {
	words bits, m, sig, above, shift, low, code;
	memcpy(&bits, x, sizeof bits);
	m = bits & ~MX_F32_SIGN;
	sig = (m & 0x7FFFFF) | 0x800000;
	above = (m >> MX_F32_MAN) + k - (uint32_t)f.least;
	shift = (MX_F32_MAN - f.man) - (above & NEGATIVE(above));
	shift = SELECT(shift > 31, 31, shift); /* at 26, zero remains */
	low = (1u << (shift - 1)) - 1 + (sig >> shift & 1);
	code = ((above & ~NEGATIVE(above)) << f.man) + ((sig + low) >> shift);
	*codes = SELECT(code > f.max, f.max, code) | bits >> 31 << (f.bits - 1);
}

/* Two codes of 4 bits lie in each 64-bit lane, 32 bits apart. */
INLINE void pack4(const words *codes, uint8_t *out) {
	pairs p;
	memcpy(&p, codes, sizeof p);
	bytes8 b = __builtin_convertvector(p | p >> 28, bytes8);
	memcpy(out, &b, sizeof b);
}

/* Joins two codes to 12 bits in each 64-bit lane, and four lanes to 48 bits, six bytes. */
INLINE void pack6(const words *codes, uint8_t *out) {
	pairs p;
	memcpy(&p, codes, sizeof p);
	p = (p | p >> 26) & 0xFFF;
	for (int i = 0; i < 8; i += 4, out += 6) {
		uint64_t w = p[i] | p[i + 1] << 12 | p[i + 2] << 24 | p[i + 3] << 36;
		memcpy(out, &w, 4);
		w >>= 32;
		memcpy(out + 4, &w, 2);
	}
}

INLINE void pack8(const words *codes, uint8_t *out) {
	bytes16 b = __builtin_convertvector(*codes, bytes16);
	memcpy(out, &b, sizeof b);
}

INLINE void pack(struct shape f, const words *codes, uint8_t *out) {
	if (f.bits == 4)
		pack4(codes, out);
	else if (f.bits == 6)
		pack6(codes, out);
	else
		pack8(codes, out);
}

INLINE void encode(struct shape f, const uint8_t *x, int k, uint8_t *out) {
	for (int half = 0; half < 2; half++, x += HALF_BYTES, out += 2 * f.bits) {
		words codes;
		encode16(f, x, (words){ 0 } + (uint32_t)k, &codes);
		pack(f, &codes, out);
	}
}

/* Whether encode() applies: no special values, and k <= 95. */
INLINE bool is_plain(uint32_t amax, uint8_t scale) {
	return amax < MX_F32_INF && scale >= 32 && scale < 0xFF;
}

INLINE bool block(struct shape f, const uint8_t *x, uint8_t scale, uint8_t *codes) {
	if (!is_plain(largest(x), scale))
		return false;
	encode(f, x, 127 - scale, codes);
	return true;
}

/* The codes of an all-zero block are its signs, with any k. */
INLINE size_t row(struct shape f, mx_format id, mx_recipe r, const uint8_t *x, size_t blocks,
                  uint8_t *codes, uint8_t *scales) {
	uint32_t amax[RUN];
	uint8_t scale[RUN];
	size_t n = blocks < RUN ? blocks : RUN;
	if (!n)
		return 0;
	for (size_t b = 0; b < n; b++)
		amax[b] = largest(x + b * BLOCK_BYTES);
	mx_scales(r, id, amax, n, scale);
	for (size_t b = 0; b < n; b++) {
		if (amax[b] && !is_plain(amax[b], scale[b]))
			return b;
		encode(f, x + b * BLOCK_BYTES, amax[b] ? 127 - scale[b] : 0,
		       codes + b * (MX_BLOCK / 8 * f.bits));
		scales[b] = scale[b];
	}
	return n;
}

/* ---- 32 rows of 32: blocks down the columns, 16 columns at a time ---- */

/* A copy of the tile: rows far apart would share few cache sets when they are read again. */
struct tile {
	words x[MX_BLOCK][2];
};

INLINE void load_tile(struct tile *t, const uint8_t *x, ptrdiff_t row_bytes, uint32_t *amax) {
	words most[2] = { 0 };
	for (int r = 0; r < MX_BLOCK; r++, x += row_bytes)
		for (int half = 0; half < 2; half++) {
			words v;
			memcpy(&v, x + half * HALF_BYTES, sizeof v);
			t->x[r][half] = v;
			v &= ~MX_F32_SIGN;
			most[half] = SELECT(most[half] > v, most[half], v);
			__builtin_prefetch(x + BLOCK_BYTES + half * HALF_BYTES);
		}
	memcpy(amax, most, sizeof most);
}

/* The codes of 16 columns with a k for each, four rows to a group, the first in the low bits.
 * rows: if not NULL, gets the packed codes of each row too. */
INLINE void encode_columns(struct shape f, const struct tile *t, int half, words k, words group[8],
                           uint8_t *rows, size_t row_bytes) {
	for (int g = 0; g < 8; g++) {
		words codes[4];
		for (int i = 0; i < 4; i++) {
			encode16(f, (const uint8_t *)&t->x[4 * g + i][half], k, &codes[i]);
			if (rows)
				pack(f, &codes[i], rows + (4 * g + i) * row_bytes);
		}
		group[g] = codes[0] | codes[1] << f.bits | codes[2] << 2 * f.bits |
		           codes[3] << 3 * f.bits;
	}
}

/* Eight groups as f.bits words. */
INLINE void join_groups(struct shape f, const words group[8], words w[8]) {
	for (int i = 0; i < 8; i += 4) {
		const words *g = group + i;
		if (f.bits == 4) {
			w[i / 2] = g[0] | g[1] << 16;
			w[i / 2 + 1] = g[2] | g[3] << 16;
		} else if (f.bits == 6) {
			w[i / 4 * 3] = g[0] | g[1] << 24;
			w[i / 4 * 3 + 1] = g[1] >> 8 | g[2] << 16;
			w[i / 4 * 3 + 2] = g[2] >> 16 | g[3] << 8;
		} else {
			memcpy(w + i, g, 4 * sizeof *w);
		}
	}
}

INLINE void store_columns(struct shape f, const words group[8], uint8_t *codes, size_t row_bytes) {
	uint32_t column[16][8], w[8][16];
	words joined[8];
	join_groups(f, group, joined);
	memcpy(w, joined, sizeof w);
	for (unsigned c = 0; c < 16; c++)
		for (unsigned i = 0; i < f.bits; i++)
			column[c][i] = w[i][c];
	for (unsigned c = 0; c < 16; c++)
		memcpy(codes + c * row_bytes, column[c], 4 * f.bits);
}

/* The rows of a tile are contiguous, like the blocks of a row. */
INLINE bool rows_of_tile(struct shape f, mx_format id, mx_recipe r, const struct tile *t,
                         const struct mx_quantised *out) {
	uint8_t codes[MX_BLOCK * MX_BLOCK], scales[MX_BLOCK];
	unsigned bytes = MX_BLOCK / 8 * f.bits;
	if (row(f, id, r, (const uint8_t *)t->x, MX_BLOCK, codes, scales) < MX_BLOCK)
		return false;
	for (int i = 0; i < MX_BLOCK; i++) {
		memcpy(out->codes + i * out->row_bytes, codes + i * bytes, bytes);
		out->scales[i * out->scale_row_bytes] = scales[i];
	}
	return true;
}

INLINE bool lines(struct shape f, mx_format id, mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes,
                  const struct mx_quantised *rows, const struct mx_quantised *columns) {
	uint32_t amax[MX_BLOCK], k[MX_BLOCK];
	uint8_t scale[MX_BLOCK];
	struct tile t;
	load_tile(&t, x, row_bytes, amax);
	mx_scales(r, id, amax, MX_BLOCK, scale);
	for (int c = 0; c < MX_BLOCK; c++) {
		if (amax[c] && !is_plain(amax[c], scale[c]))
			return false;
		k[c] = amax[c] ? 127u - scale[c] : 0;
	}
	if (rows->codes && !rows_of_tile(f, id, r, &t, rows))
		return false;
	for (int half = 0; half < 2; half++) {
		words by, group[8];
		memcpy(&by, k + 16 * half, sizeof by);
		encode_columns(f, &t, half, by, group, NULL, 0);
		store_columns(f, group, columns->codes + 16 * half * columns->row_bytes,
		              columns->row_bytes);
	}
	for (int c = 0; c < MX_BLOCK; c++)
		columns->scales[c * columns->scale_row_bytes] = scale[c];
	return true;
}

/* Each code goes to its row and to its column. */
INLINE bool square(struct shape f, mx_format id, mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes,
                   const struct mx_quantised *rows, const struct mx_quantised *columns) {
	uint32_t amax[MX_BLOCK], all = 0;
	uint8_t scale;
	struct tile t;
	load_tile(&t, x, row_bytes, amax);
	for (int c = 0; c < MX_BLOCK; c++)
		all = amax[c] > all ? amax[c] : all;
	mx_scales(r, id, &all, 1, &scale);
	if (all && !is_plain(all, scale))
		return false;
	words k = (words){ 0 } + (all ? 127u - scale : 0), group[8];
	for (int half = 0; half < 2; half++) {
		uint8_t *packed = rows->codes ? rows->codes + 2 * half * f.bits : NULL;
		encode_columns(f, &t, half, k, group, packed, rows->row_bytes);
		if (columns->codes)
			store_columns(f, group, columns->codes + 16 * half * columns->row_bytes,
			              columns->row_bytes);
	}
	for (int i = 0; i < MX_BLOCK; i++) {
		if (rows->codes)
			rows->scales[i * rows->scale_row_bytes] = scale;
		if (columns->codes)
			columns->scales[i * columns->scale_row_bytes] = scale;
	}
	return true;
}

/* clang lacks prefer-vector-width here and would ignore the whole attribute. */
#if defined __clang__
#define WIDTH
#else
#define WIDTH ",prefer-vector-width=512"
#endif
#if defined __x86_64__ && defined __GNUC__
#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl" WIDTH)))
#else
#define WIDE
#endif

/* The format is a constant, so the compiler specialises the inlined functions for it. */
#define FUNCTIONS(kind, attribute, id, ...)                                                        \
	attribute static size_t row_##id##_##kind(mx_recipe r, const uint8_t *x, size_t blocks,    \
	                                          uint8_t *codes, uint8_t *scales) {               \
		return row(shape_of((struct mx_format_info){ __VA_ARGS__ }), MX_##id, r, x,        \
		           blocks, codes, scales);                                                 \
	}                                                                                          \
	attribute static bool block_##id##_##kind(const uint8_t *x, uint8_t s, uint8_t *codes) {   \
		return block(shape_of((struct mx_format_info){ __VA_ARGS__ }), x, s, codes);       \
	}                                                                                          \
	attribute static bool lines_##id##_##kind(                                                 \
		mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes,                                \
		const struct mx_quantised *rows, const struct mx_quantised *columns) {             \
		return lines(shape_of((struct mx_format_info){ __VA_ARGS__ }), MX_##id, r, x,      \
		             row_bytes, rows, columns);                                            \
	}                                                                                          \
	attribute static bool square_##id##_##kind(                                                \
		mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes,                                \
		const struct mx_quantised *rows, const struct mx_quantised *columns) {             \
		return square(shape_of((struct mx_format_info){ __VA_ARGS__ }), MX_##id, r, x,     \
		              row_bytes, rows, columns);                                           \
	}
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	FUNCTIONS(wide, WIDE, id, #id, bits, exp, man, bias, MX_##specials)                        \
	FUNCTIONS(portable, , id, #id, bits, exp, man, bias, MX_##specials)
#include "formats.def"
#undef MX_FORMAT

static const struct mx_fast wide[MX_FORMATS] = {
#define MX_FORMAT(id, ...)                                                                         \
	[MX_##id] = { row_##id##_wide, block_##id##_wide, lines_##id##_wide, square_##id##_wide },
#include "formats.def"
#undef MX_FORMAT
};

static const struct mx_fast portable[MX_FORMATS] = {
#define MX_FORMAT(id, ...)                                                                         \
	[MX_##id] = { row_##id##_portable, block_##id##_portable, lines_##id##_portable,           \
		      square_##id##_portable },
#include "formats.def"
#undef MX_FORMAT
};

const struct mx_fast *mx_fast_portable(mx_format f) {
	return &portable[f];
}

const struct mx_fast *mx_fast_for(mx_format f) {
	return mx_cpu_has(MX_CPU_V4) ? &wide[f] : &portable[f];
}
