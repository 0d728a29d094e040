/* Blocks of 32 f32 to codes, 16 elements at a time, compiled for AVX-512 and for the target of the
 * build. Nearest even, by additions of f32: the caller sees to the rounding mode, and handles
 * blocks with special values. */
#include "cpu.h"
#include "number.h"
#include "quantize.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
enum { LANES = 16 };

/* RUN: blocks of which the scales are computed together, in a row or the columns of a tile. */
enum { RUN = MX_BLOCK, BLOCK_BYTES = 4 * MX_BLOCK, HALF_BYTES = BLOCK_BYTES / 2 };

typedef uint32_t word_at __attribute__((aligned(1), may_alias));
typedef uint32_t words __attribute__((vector_size(64)));
typedef uint64_t pairs __attribute__((vector_size(64)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t halves8 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint8_t bytes64 __attribute__((vector_size(64)));
typedef uint16_t halves32 __attribute__((vector_size(64)));
typedef uint32_t words8 __attribute__((vector_size(32)));

struct shape {
	unsigned bits, man;
	uint32_t least, most; /* f32 bits of the smallest normal and of the largest element */
	bool wide;            /* permutations of 64 bytes are instructions */
};

INLINE struct shape shape_of(struct mx_format_info t, bool wide) {
	uint32_t max = mx_max_finite(&t), bias = (uint32_t)(127 - t.bias) << MX_F32_MAN;
	return (struct shape){
		.bits = t.bits,
		.man = t.man_bits,
		.least = bias + (1u << MX_F32_MAN),
		.most = bias + (max << (MX_F32_MAN - t.man_bits)),
		.wide = wide,
	};
}

INLINE uint32_t larger(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

/* The largest magnitude; NaN is above all numbers. */
INLINE uint32_t largest(const uint8_t *x) {
	const word_at *at = (const word_at *)x;
	uint32_t m = 0;
	for (int i = 0; i < MX_BLOCK; i++)
		m = larger(at[i] & ~MX_F32_SIGN, m);
	return m;
}

/* The nearest-even code of x over a scale, as by mx_round_code; `least` is the smallest normal
 * element times the scale. In the binade from 2^e (e at least that of `least`) codes are apart by
 * 2^(e - man). Adding 2^(e - man + 23), whose unit in the last place is that distance, rounds x to
 * a code. */
INLINE uint32_t encode1(struct shape f, uint32_t x, uint32_t least) {
	uint32_t most = least + (f.most - f.least), v = x & ~MX_F32_SIGN;
	v = v > most ? most : v;
	uint32_t binade = larger(v & MX_F32_INF, least);
	uint32_t shifter = binade + ((MX_F32_MAN - f.man) << MX_F32_MAN);
	float sum = mx_f32_float((mx_f32){ v }) + mx_f32_float((mx_f32){ shifter });
	uint32_t units = mx_f32_of(sum).v - shifter;
	uint32_t sign = x >> (32 - f.bits) & 1u << (f.bits - 1);
	return (units + ((binade - least) >> (MX_F32_MAN - f.man))) | sign;
}

/* The codes of 16 elements, each with its least normal. */
INLINE words encode16(struct shape f, words x, words least) {
	uint32_t in[LANES], by[LANES], out[LANES];
	words codes;
	memcpy(in, &x, sizeof in);
	memcpy(by, &least, sizeof by);
	for (int i = 0; i < LANES; i++)
		out[i] = encode1(f, in[i], by[i]);
	memcpy(&codes, out, sizeof codes);
	return codes;
}

INLINE words larger16(words x, words y) {
	uint32_t a[LANES], b[LANES];
	memcpy(a, &x, sizeof a);
	memcpy(b, &y, sizeof b);
	for (int i = 0; i < LANES; i++)
		a[i] = larger(a[i], b[i]);
	memcpy(&x, a, sizeof x);
	return x;
}

INLINE words load16(const uint8_t *x) {
	words v;
	memcpy(&v, x, sizeof v);
	return v;
}

/* Two codes of 4 bits lie in each 64-bit lane, 32 bits apart. */
INLINE void pack4(const words *codes, uint8_t *out) {
	pairs p;
	memcpy(&p, codes, sizeof p);
	bytes8 b = __builtin_convertvector(p | p >> 28, bytes8);
	memcpy(out, &b, sizeof b);
}

/* Joins two codes to 12 bits in each 16-bit lane, two of these to 24 bits in each 32-bit lane, and
 * four of these to 12 bytes. */
INLINE void pack6(const words *codes, uint8_t *out) {
	bytes16 b = __builtin_convertvector(*codes, bytes16);
	halves8 h;
	words4 w;
	memcpy(&h, &b, sizeof h);
	h = (h & 0xFF) | (h >> 8) << 6;
	memcpy(&w, &h, sizeof w);
	w = (w & 0xFFFF) | (w >> 16) << 12;
	memcpy(&b, &w, sizeof b);
	b = __builtin_shufflevector(b, b, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 3, 3, 3);
	memcpy(out, &b, 12);
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

/* Both halves of a block at once. */
INLINE void pack4_block(const words codes[2], uint8_t *out) {
	pairs p, q;
	memcpy(&p, &codes[0], sizeof p);
	memcpy(&q, &codes[1], sizeof q);
	halves8 h = __builtin_convertvector(((p | p >> 28) & 0xFF) | (q | q >> 28) << 8, halves8);
	bytes16 b;
	memcpy(&b, &h, sizeof b);
	b = __builtin_shufflevector(b, b, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
	memcpy(out, &b, sizeof b);
}

/* The low three bytes of each 32-bit element, next to each other. */
INLINE words join3(words w) {
#define LANE(i)                                                                                    \
	(i), (i) + 1, (i) + 2, (i) + 4, (i) + 5, (i) + 6, (i) + 8, (i) + 9, (i) + 10, (i) + 12,    \
		(i) + 13, (i) + 14, (i) + 3, (i) + 7, (i) + 11, (i) + 15
	bytes64 b;
	memcpy(&b, &w, sizeof b);
	b = __builtin_shufflevector(b, b, LANE(0), LANE(16), LANE(32), LANE(48));
#undef LANE
	memcpy(&w, &b, sizeof w);
	return __builtin_shufflevector(w, w, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
}

/* The first and second half of a block in the low and high 16 bits of each 32-bit lane: joins two
 * codes to 12 bits in the low 32 bits of each 64-bit lane. */
INLINE halves32 join6(const words codes[2]) {
	words both = codes[0] | codes[1] << 16;
	pairs p;
	halves32 h;
	memcpy(&p, &both, sizeof p);
	p |= p >> 26;
	memcpy(&h, &p, sizeof h);
	return h;
}

/* Two blocks at once. */
INLINE void pack6_blocks(const words codes[4], uint8_t *out) {
	halves32 h = join6(codes), i = join6(codes + 2);
	words w;
	h = __builtin_shufflevector(h, i, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29,
	                            32, 36, 40, 44, 48, 52, 56, 60, 33, 37, 41, 45, 49, 53, 57, 61);
	memcpy(&w, &h, sizeof w);
	w = join3((w & 0xFFF) | (w >> 4 & 0xFFF000));
	words8 low = __builtin_shufflevector(w, w, 0, 1, 2, 3, 4, 5, 6, 7);
	words4 high = __builtin_shufflevector(w, w, 8, 9, 10, 11);
	memcpy(out, &low, sizeof low);
	memcpy(out + sizeof low, &high, sizeof high);
}

INLINE void pack_block(struct shape f, const words codes[2], uint8_t *out) {
	if (f.bits == 4) {
		pack4_block(codes, out);
		return;
	}
	pack(f, &codes[0], out);
	pack(f, &codes[1], out + 2 * f.bits);
}

/* The codes of a block over a scale. */
INLINE void encode_block(struct shape f, const uint8_t *x, uint32_t least, words codes[2]) {
	words each = (words){ 0 } + least;
	codes[0] = encode16(f, load16(x), each);
	codes[1] = encode16(f, load16(x + HALF_BYTES), each);
}

INLINE void encode(struct shape f, const uint8_t *x, uint32_t least, uint8_t *out) {
	words codes[2];
	encode_block(f, x, least, codes);
	pack_block(f, codes, out);
}

/* n blocks, each with its least normal. */
INLINE void encode_blocks(struct shape f, const uint8_t *x, const uint32_t *least, size_t n,
                          uint8_t *out) {
	size_t b = 0, bytes = MX_BLOCK / 8 * f.bits;
	for (; f.wide && f.bits == 6 && b + 2 <= n; b += 2) {
		words codes[4];
		encode_block(f, x + b * BLOCK_BYTES, least[b], codes);
		encode_block(f, x + (b + 1) * BLOCK_BYTES, least[b + 1], codes + 2);
		pack6_blocks(codes, out + b * bytes);
	}
	for (; b < n; b++)
		encode(f, x + b * BLOCK_BYTES, least[b], out + b * bytes);
}

/* Whether encode() can divide by a scale: the least normal, and the addend of the binade of the
 * largest element, are normal f32. */
INLINE bool divides(struct shape f, uint8_t scale) {
	int least = (int)(f.least >> MX_F32_MAN) + scale - 127;
	int most = (int)(f.most >> MX_F32_MAN) + scale - 127;
	return (least > 0) & (most + MX_F32_MAN - (int)f.man < 255);
}

INLINE uint32_t least_of(struct shape f, uint8_t scale) {
	return f.least + (scale << MX_F32_MAN) - (127u << MX_F32_MAN);
}

INLINE bool block(struct shape f, const uint8_t *x, uint8_t scale, uint8_t *codes) {
	if (largest(x) >= MX_F32_INF || !divides(f, scale))
		return false;
	encode(f, x, least_of(f, scale), codes);
	return true;
}

/* The same for a block with its own scale. The codes of an all-zero block are its signs, with any
 * scale. */
INLINE bool is_plain(struct shape f, uint32_t amax, uint8_t scale) {
	return (amax == 0) | ((amax < MX_F32_INF) & divides(f, scale));
}

INLINE uint32_t own_least(struct shape f, uint32_t amax, uint8_t scale) {
	return least_of(f, amax ? scale : 127);
}

/* The scales and least normals of RUN blocks; returns the number of blocks before the first that is
 * not plain. */
INLINE size_t scale_run(struct shape f, mx_format id, mx_recipe r, const uint32_t amax[RUN],
                        uint8_t scale[RUN], uint32_t least[RUN]) {
	uint32_t plain = 1;
	size_t b = 0;
	mx_scales(r, id, amax, RUN, scale);
	for (int i = 0; i < RUN; i++) {
		least[i] = own_least(f, amax[i], scale[i]);
		plain &= is_plain(f, amax[i], scale[i]);
	}
	if (plain)
		return RUN;
	while (is_plain(f, amax[b], scale[b]))
		b++;
	return b;
}

INLINE size_t row(struct shape f, mx_format id, mx_recipe r, const uint8_t *x, const uint8_t *next,
                  size_t blocks, uint8_t *codes, uint8_t *scales) {
	uint32_t amax[RUN] = { 0 }, least[RUN]; /* an absent block is plain */
	uint8_t scale[RUN];
	size_t n = blocks < RUN ? blocks : RUN;
	if (!n)
		return 0;
	for (size_t b = 0; b < n; b++) {
		__builtin_prefetch(next + b * BLOCK_BYTES);
		__builtin_prefetch(next + b * BLOCK_BYTES + HALF_BYTES);
		amax[b] = largest(x + b * BLOCK_BYTES);
	}
	size_t plain = scale_run(f, id, r, amax, scale, least);
	n = plain < n ? plain : n;
	encode_blocks(f, x, least, n, codes);
	memcpy(scales, scale, n);
	return n;
}

/* ---- 32 rows of 32: blocks down the columns, 16 columns at a time ---- */

/* A copy of the tile: rows far apart would share few cache sets when they are read again. */
struct tile {
	words x[MX_BLOCK][2];
};

/* Gives the largest magnitude of each column. */
INLINE void load_tile(struct tile *t, const uint8_t *x, ptrdiff_t row_bytes, uint32_t *amax) {
	words most[2] = { 0 };
	for (int r = 0; r < MX_BLOCK; r++, x += row_bytes)
		for (int half = 0; half < 2; half++) {
			words v = load16(x + half * HALF_BYTES);
			t->x[r][half] = v;
			most[half] = larger16(most[half], v & ~MX_F32_SIGN);
		}
	memcpy(amax, most, sizeof most);
}

/* The codes of 16 columns with a least normal for each, four rows to a group, the first in the low
 * bits. rows: if not NULL, gets the packed codes of each row too. */
INLINE void encode_columns(struct shape f, const struct tile *t, int half, words least,
                           words group[8], uint8_t *rows, size_t row_bytes, const uint8_t *next,
                           ptrdiff_t next_row_bytes) {
	for (int g = 0; g < 8; g++) {
		words codes[4];
		for (int i = 0; i < 4; i++) {
			if (next)
				__builtin_prefetch(next + (4 * g + i) * next_row_bytes +
				                   half * HALF_BYTES);
			codes[i] = encode16(f, t->x[4 * g + i][half], least);
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

/* Within each 128-bit lane: the 32-bit or 64-bit elements of a and b in turn, from the lane's lower
 * or upper half. */
#define TURNS32(a, b, i)                                                                           \
	__builtin_shufflevector(a, b, (i), (i) + 16, (i) + 1, (i) + 17, (i) + 4, (i) + 20,         \
	                        (i) + 5, (i) + 21, (i) + 8, (i) + 24, (i) + 9, (i) + 25, (i) + 12, \
	                        (i) + 28, (i) + 13, (i) + 29)
#define TURNS64(a, b, i)                                                                           \
	__builtin_shufflevector(a, b, (i), (i) + 1, (i) + 16, (i) + 17, (i) + 4, (i) + 5,          \
	                        (i) + 20, (i) + 21, (i) + 8, (i) + 9, (i) + 24, (i) + 25,          \
	                        (i) + 12, (i) + 13, (i) + 28, (i) + 29)

/* Word i of w holds bytes 4 i to 4 i + 3 of 16 columns. Stores n <= 4 words of each column. */
INLINE void store_words(const words *w, int n, uint8_t *codes, size_t row_bytes) {
	words zero = { 0 }, c = n > 2 ? w[2] : zero, d = n > 2 ? w[3] : zero;
	words low = TURNS32(w[0], w[1], 0), high = TURNS32(w[0], w[1], 2);
	words low2 = TURNS32(c, d, 0), high2 = TURNS32(c, d, 2);
	words of[4] = { TURNS64(low, low2, 0), TURNS64(low, low2, 2), TURNS64(high, high2, 0),
		        TURNS64(high, high2, 2) };
	for (unsigned i = 0; i < LANES; i++)
		memcpy(codes + i * row_bytes, (const uint8_t *)&of[i % 4] + i / 4 * 16,
		       4 * (size_t)n);
}

INLINE void store_columns(struct shape f, const words group[8], uint8_t *codes, size_t row_bytes) {
	words joined[8];
	join_groups(f, group, joined);
	store_words(joined, 4, codes, row_bytes);
	if (f.bits > 4)
		store_words(joined + 4, (int)f.bits - 4, codes + 16, row_bytes);
}

INLINE void store_scales(const struct mx_quantised *out, const uint8_t *scale) {
	uint8_t *to = out->scales;
	size_t stride = out->scale_row_bytes;
	for (int i = 0; i < MX_BLOCK; i++)
		to[i * stride] = scale[i];
}

INLINE bool columns(struct shape f, mx_format id, mx_recipe r, const uint8_t *x,
                    ptrdiff_t row_bytes, const uint8_t *next, const struct mx_quantised *out) {
	uint32_t amax[MX_BLOCK], least[MX_BLOCK];
	uint8_t scale[MX_BLOCK];
	struct tile t;
	load_tile(&t, x, row_bytes, amax);
	if (scale_run(f, id, r, amax, scale, least) < RUN)
		return false;
	for (int half = 0; half < 2; half++) {
		words group[8];
		encode_columns(f, &t, half, load16((const uint8_t *)(least + LANES * half)), group,
		               NULL, 0, next, row_bytes);
		store_columns(f, group, out->codes + LANES * half * out->row_bytes, out->row_bytes);
	}
	store_scales(out, scale);
	return true;
}

/* Each code goes to its row and to its column. */
INLINE bool square(struct shape f, mx_format id, mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes,
                   const uint8_t *next, const struct mx_quantised *rows,
                   const struct mx_quantised *columns) {
	uint32_t amax[MX_BLOCK], all = 0;
	uint8_t scale, scales[MX_BLOCK];
	struct tile t;
	load_tile(&t, x, row_bytes, amax);
	for (int c = 0; c < MX_BLOCK; c++)
		all = larger(amax[c], all);
	mx_scales(r, id, &all, 1, &scale);
	if (!is_plain(f, all, scale))
		return false;
	words group[8], least = (words){ 0 } + own_least(f, all, scale);
	for (int half = 0; half < 2; half++) {
		uint8_t *packed = rows->codes ? rows->codes + 2 * half * f.bits : NULL;
		encode_columns(f, &t, half, least, group, packed, rows->row_bytes, next, row_bytes);
		if (columns->codes)
			store_columns(f, group, columns->codes + LANES * half * columns->row_bytes,
			              columns->row_bytes);
	}
	memset(scales, scale, sizeof scales);
	if (rows->codes)
		store_scales(rows, scales);
	if (columns->codes)
		store_scales(columns, scales);
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
#define FUNCTIONS(kind, attribute, wide, id, ...)                                                  \
	attribute static size_t row_##id##_##kind(mx_recipe r, const uint8_t *x,                   \
	                                          const uint8_t *next, size_t blocks,              \
	                                          uint8_t *codes, uint8_t *scales) {               \
		return row(shape_of((struct mx_format_info){ __VA_ARGS__ }, wide), MX_##id, r, x,  \
		           next, blocks, codes, scales);                                           \
	}                                                                                          \
	attribute static bool block_##id##_##kind(const uint8_t *x, uint8_t s, uint8_t *codes) {   \
		return block(shape_of((struct mx_format_info){ __VA_ARGS__ }, wide), x, s, codes); \
	}                                                                                          \
	attribute static bool columns_##id##_##kind(mx_recipe r, const uint8_t *x,                 \
	                                            ptrdiff_t row_bytes, const uint8_t *next,      \
	                                            const struct mx_quantised *out) {              \
		return columns(shape_of((struct mx_format_info){ __VA_ARGS__ }, wide), MX_##id, r, \
		               x, row_bytes, next, out);                                           \
	}                                                                                          \
	attribute static bool square_##id##_##kind(                                                \
		mx_recipe r, const uint8_t *x, ptrdiff_t row_bytes, const uint8_t *next,           \
		const struct mx_quantised *rows, const struct mx_quantised *columns) {             \
		return square(shape_of((struct mx_format_info){ __VA_ARGS__ }, wide), MX_##id, r,  \
		              x, row_bytes, next, rows, columns);                                  \
	}
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	FUNCTIONS(wide, WIDE, true, id, #id, bits, exp, man, bias, MX_##specials)                  \
	FUNCTIONS(portable, , false, id, #id, bits, exp, man, bias, MX_##specials)
#include "formats.def"
#undef MX_FORMAT

static const struct mx_fast wide[MX_FORMATS] = {
#define MX_FORMAT(id, ...)                                                                         \
	[MX_##id] = { row_##id##_wide, block_##id##_wide, columns_##id##_wide, square_##id##_wide },
#include "formats.def"
#undef MX_FORMAT
};

static const struct mx_fast portable[MX_FORMATS] = {
#define MX_FORMAT(id, ...)                                                                         \
	[MX_##id] = { row_##id##_portable, block_##id##_portable, columns_##id##_portable,         \
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
