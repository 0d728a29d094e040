/* The random dots of mxcheck probe, for mxcheck and for the programs that fill in its results:
 * plain C, C++ or CUDA, without other headers. A dot is a function of seed and number.
 *
 * Codes. A code is sign, exponent field and mantissa of its type. tf32 is the upper 19 bits of an
 * f32: files and registers have it shifted left by 13. i8 is two's complement, with no exponent.
 *
 * Dot n has distribution n % 8:
 *
 *   0  all bit patterns, also infinities, NaN and, if there are scales, scale 0xFF
 *   1  all finite codes; C within 2^32 of the products
 *   2  one exponent for all of A, one for all of B
 *   3  exponents within 4
 *   4  exponents within 8
 *   5  exponents within 16
 *   6  products cancel: those of odd k negate those of even k, except one pair
 *   7  products cancel: those of the upper half of k negate the lower half, except one pair
 *
 * In 2 to 7 each product is zero with probability 1/8, C with probability 1/4. */
#ifndef MX_PROBE_RANDOM_H
#define MX_PROBE_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define MX_PROBE_INLINE static inline __host__ __device__
#else
#define MX_PROBE_INLINE static inline
#endif

/* An element type: `max` is the largest finite magnitude. */
struct mx_probe_type {
	unsigned bits, exp, man;
	uint64_t max;
};

/* The types by their names in the manifest: mx_probe_type_of("E4M3"). bits is 0 for another name.
 */
static inline struct mx_probe_type mx_probe_type_of(const char *name) {
	static const struct {
		const char *name;
		struct mx_probe_type type;
	} types[] = {
		{ "E4M3", { 8, 4, 3, 0x7E } },
		{ "E5M2", { 8, 5, 2, 0x7B } },
		{ "E2M3", { 6, 2, 3, 0x1F } },
		{ "E3M2", { 6, 3, 2, 0x1F } },
		{ "E2M1", { 4, 2, 1, 0x7 } },
		{ "FP16", { 16, 5, 10, 0x7BFF } },
		{ "BF16", { 16, 8, 7, 0x7F7F } },
		{ "TF32", { 19, 8, 10, 0x3FBFF } },
		{ "INT8", { 8, 0, 7, 0x7F } },
		{ "FP32", { 32, 8, 23, 0x7F7FFFFF } },
		{ "FP64", { 64, 11, 52, 0x7FEFFFFFFFFFFFFF } },
	};
	struct mx_probe_type none = { 0, 0, 0, 0 };
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
		const char *x = name, *y = types[i].name;
		while (*x && *x == *y)
			x++, y++;
		if (*x == *y)
			return types[i].type;
	}
	return none;
}

/* Word i of dot n: the finaliser of splitmix64. */
MX_PROBE_INLINE uint64_t mx_probe_word(uint64_t seed, uint64_t n, uint32_t i) {
	uint64_t z = seed + n * 0x9E3779B97F4A7C15u + (uint64_t)i * 0xD1342543DE82EF95u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

MX_PROBE_INLINE uint32_t mx_probe_span(unsigned distribution) {
	return distribution == 2                       ? 1
	       : distribution == 3 || distribution > 5 ? 4
	       : distribution == 4                     ? 8
	                                               : 16;
}

/* The bits of a magnitude: of FP64 those of another word, because r has the other choices. */
MX_PROBE_INLINE uint64_t mx_probe_magnitude(struct mx_probe_type t, uint64_t r) {
	return (t.bits > 32 ? mx_probe_word(r, 0, 0) : r) & ((UINT64_C(1) << (t.bits - 1)) - 1);
}

/* A code of random word r: exponent fields from `low`, `span` of them; span 0: any finite code. */
MX_PROBE_INLINE uint64_t mx_probe_code(struct mx_probe_type t, uint64_t r, uint32_t low,
                                       uint32_t span) {
	uint64_t sign = r >> 63 << (t.bits - 1), magnitude;
	if (!t.exp)
		return r & 0xFF;
	magnitude = mx_probe_magnitude(t, r);
	if (span)
		magnitude = (uint64_t)(low + (uint32_t)(r >> 32) % span) << t.man |
		            (magnitude & ((UINT64_C(1) << t.man) - 1));
	return sign | (magnitude > t.max ? t.max : magnitude);
}

/* The lowest exponent field of a dot's window. */
MX_PROBE_INLINE uint32_t mx_probe_low(struct mx_probe_type t, uint64_t r, uint32_t span) {
	uint32_t fields = 1u << t.exp;
	return span && fields > span ? (uint32_t)(r % (fields - span)) : 0;
}

/* Element k of dot n, of A (is_b = 0) or B; K elements in all. */
MX_PROBE_INLINE uint64_t mx_probe_element(struct mx_probe_type t, uint64_t seed, uint64_t n,
                                          unsigned K, unsigned k, unsigned is_b) {
	unsigned d = n % 8, first = d == 6 ? k & ~1u : d == 7 && K > 1 ? k % (K / 2) : k;
	uint64_t r, about = mx_probe_word(seed, n, is_b), code;
	uint32_t span = mx_probe_span(d), low = mx_probe_low(t, about, span);
	/* The pair that does not cancel. */
	uint64_t odd = mx_probe_word(seed, n, 2) % K;
	int negate = is_b && k != first && (d == 6 || d == 7);
	if (k == odd && k != first)
		first = k, negate = 0;
	r = mx_probe_word(seed, n, 16 + 2 * first + is_b);
	if (d == 0)
		return r & (~UINT64_C(0) >> (64 - t.bits));
	if (d > 1 && !is_b && (r >> 40 & 7) == 0)
		return 0;
	code = mx_probe_code(t, r, low, d > 1 ? span : 0);
	if (negate)
		code = t.exp ? code ^ UINT64_C(1) << (t.bits - 1) : (0u - code) & 0xFF;
	return code;
}

/* The E8M0 scale of block `block`. */
MX_PROBE_INLINE uint32_t mx_probe_scale(uint64_t seed, uint64_t n, unsigned block, unsigned is_b) {
	uint64_t r = mx_probe_word(seed, n, 8 + 2 * block + is_b);
	unsigned d = n % 8;
	return d == 0 ? (uint32_t)r & 0xFF
	              : 127 + (uint32_t)(r % mx_probe_span(d)) - (d == 5 ? 8 : 0);
}

/* C: f32 bits, those of an f64 if the elements are FP64, or an i32 if they are i8. Its exponent is
 * within 32 of that of the products in the middle of the window; bias is (1 << (exp - 1)) - 1. */
MX_PROBE_INLINE uint64_t mx_probe_c(struct mx_probe_type a, struct mx_probe_type b, uint64_t seed,
                                    uint64_t n) {
	uint64_t r = mx_probe_word(seed, n, 3);
	uint32_t d = n % 8, span = mx_probe_span(d);
	unsigned wide = a.bits > 32;
	int field, bias = wide ? 1023 : 127;
	if (d == 0)
		return wide ? r : (uint32_t)r;
	if (!a.exp)
		return d % 2 ? (uint32_t)r : (uint32_t)(int32_t)(int16_t)r;
	if (d > 1 && (r >> 56 & 3) == 0)
		return 0;
	field = bias + (int)mx_probe_low(a, mx_probe_word(seed, n, 0), span) +
	        (int)mx_probe_low(b, mx_probe_word(seed, n, 1), span) + (int)span -
	        (1 << (a.exp - 1)) - (1 << (b.exp - 1)) + (int)(r >> 40 & 63) - 32;
	field = field < 0 ? 0 : field > 2 * bias ? 2 * bias : field;
	if (wide)
		return r >> 63 << 63 | (uint64_t)field << 52 | mx_probe_magnitude(a, r) << 12 >> 12;
	return (uint32_t)(r >> 63) << 31 | (uint32_t)field << 23 | ((uint32_t)r & 0x7FFFFF);
}

#endif
