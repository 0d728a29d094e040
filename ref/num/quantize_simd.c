/* Blocks of 32 f32 to codes in integers, 16 at a time: once for AVX-512, once for what the
 * build targets. Nearest even; blocks with special values are left to the caller. */
#include "number.h"
#include "quantize.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Scales are found for as many blocks at a time. */
enum { RUN = 32, BLOCK_BYTES = 4 * MX_BLOCK };

typedef uint32_t words __attribute__((vector_size(64)));
typedef int32_t integers __attribute__((vector_size(64)));
typedef uint64_t pairs __attribute__((vector_size(64)));
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* All ones where a lane, as a signed number, is below 0; and a choice lane by lane. */
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

/* The largest magnitude, NaN above all. */
INLINE uint32_t largest(const uint8_t *x) {
	uint32_t v[MX_BLOCK], m = 0;
	memcpy(v, x, sizeof v);
	for (int i = 0; i < MX_BLOCK; i++) {
		v[i] &= ~MX_F32_SIGN;
		m = v[i] > m ? v[i] : m;
	}
	return m;
}

/* Nearest-even codes of 16 x * 2^k, as mx_round_code finds them, of finite x.
 * Subnormal x are taken for 2^-126 and more; with k <= 95 either is far below half
 * the least element, and rounds to zero. */
INLINE void encode16(struct shape f, const uint8_t *x, int k, words *codes) {
	words bits, m, sig, above, shift, low, code;
	memcpy(&bits, x, sizeof bits);
	m = bits & ~MX_F32_SIGN;
	sig = (m & 0x7FFFFF) | 0x800000;
	above = (m >> MX_F32_MAN) + (uint32_t)(k - f.least);
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

INLINE void pack6(const words *codes, uint8_t *out) {
	words c = *codes;
	for (int i = 0; i < 16; i += 4, out += 3) {
		uint32_t w = c[i] | c[i + 1] << 6 | c[i + 2] << 12 | c[i + 3] << 18;
		out[0] = w;
		out[1] = w >> 8;
		out[2] = w >> 16;
	}
}

INLINE void pack8(const words *codes, uint8_t *out) {
	bytes16 b = __builtin_convertvector(*codes, bytes16);
	memcpy(out, &b, sizeof b);
}

INLINE void encode(struct shape f, const uint8_t *x, int k, uint8_t *out) {
	for (int half = 0; half < 2; half++, x += 64, out += 2 * f.bits) {
		words codes;
		encode16(f, x, k, &codes);
		if (f.bits == 4)
			pack4(&codes, out);
		else if (f.bits == 6)
			pack6(&codes, out);
		else
			pack8(&codes, out);
	}
}

/* Whether encode() gives the codes: no specials, and k <= 95. */
INLINE bool is_plain(uint32_t amax, uint8_t scale) {
	return amax < MX_F32_INF && scale >= 32 && scale < 0xFF;
}

INLINE bool block(struct shape f, const uint8_t *x, uint8_t scale, uint8_t *codes) {
	if (!is_plain(largest(x), scale))
		return false;
	encode(f, x, 127 - scale, codes);
	return true;
}

/* An all-zero block is its signs, with any k. */
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

#if defined __x86_64__ && defined __GNUC__
#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#define HAS_WIDE                                                                                   \
	(__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&               \
	 __builtin_cpu_supports("avx512vl"))
#else
#define WIDE
#define HAS_WIDE 0
#endif

/* The format is a constant, and so is all that row() and block() make of it. */
#define FUNCTIONS(kind, attribute, id, ...)                                                        \
	attribute static size_t row_##id##_##kind(mx_recipe r, const uint8_t *x, size_t blocks,   \
	                                          uint8_t *codes, uint8_t *scales) {               \
		return row(shape_of((struct mx_format_info){ __VA_ARGS__ }), MX_##id, r, x,        \
		           blocks, codes, scales);                                                 \
	}                                                                                          \
	attribute static bool block_##id##_##kind(const uint8_t *x, uint8_t s, uint8_t *codes) {  \
		return block(shape_of((struct mx_format_info){ __VA_ARGS__ }), x, s, codes);       \
	}
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	FUNCTIONS(wide, WIDE, id, #id, bits, exp, man, bias, MX_##specials)                        \
	FUNCTIONS(portable, , id, #id, bits, exp, man, bias, MX_##specials)
#include "formats.def"
#undef MX_FORMAT

static const struct mx_fast wide[MX_FORMATS] = {
#define MX_FORMAT(id, ...) [MX_##id] = { row_##id##_wide, block_##id##_wide },
#include "formats.def"
#undef MX_FORMAT
};

static const struct mx_fast portable[MX_FORMATS] = {
#define MX_FORMAT(id, ...) [MX_##id] = { row_##id##_portable, block_##id##_portable },
#include "formats.def"
#undef MX_FORMAT
};

const struct mx_fast *mx_fast_portable(mx_format f) {
	return &portable[f];
}

const struct mx_fast *mx_fast_for(mx_format f) {
	return HAS_WIDE ? &wide[f] : &portable[f];
}
