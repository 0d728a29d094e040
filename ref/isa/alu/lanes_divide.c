/* Division helpers [ISA 12.11]: compilers emit them before and after the Newton-Raphson steps on a
 * reciprocal.
 *
 * Some formulas of the manual do not give correctly rounded quotients. These rules replace them
 * (assumed):
 * - The test of 1/S1 is for a denormal of the format, also for f32.
 * - A denominator with a denormal inverse is scaled down even if the quotient is denormal, and a
 *   quotient that rounds to 0 counts as denormal.
 * - v_div_fmas scales up by 2^64 (f64: 2^128) if S2 is 2 or more and otherwise down, which undoes
 *   either scaling of v_div_scale (from RDNA3's manual). It rounds once.
 * - v_div_fixup detects overflow, where the steps may give NaN, by the exponents. The manual's
 *   condition, that the exponent of S1 is the greatest, is never true at that point. */
#include "float_bits.h"
#include "lane_macros.h"

/* ---- v_div_fixup: the quotient of special numbers [ISA 12.11] ---- */

/* a: quotient, b: denominator, c: numerator. A quotient out of range is rounded as MODE selects
 * (assumed). f16 has no such cases. */
#define FIXUP(f, mantissa, rounding_field, too_small, too_large, invalid)                          \
	static inline bits_of_##f fixup_##f(bits_of_##f a, bits_of_##f b, bits_of_##f c,           \
	                                    uint32_t mode) {                                       \
		bool negative = (b ^ c) & sign_##f;                                                \
		bits_of_##f n = magnitude_##f(c), d = magnitude_##f(b), r = magnitude_##f(a);      \
		unsigned rounding = mode >> rounding_field & 3, away = negative ? 2 : 1;           \
		int exponents = (int)(n >> mantissa) - (int)(d >> mantissa);                       \
		r = exponents < too_small ? rounding == away : r;                                  \
		r = exponents > too_large ? inf_##f - (rounding && rounding != away) : r;          \
		r = d == inf_##f || !n ? 0 : r;                                                    \
		r = n == inf_##f || !d ? inf_##f : r;                                              \
		r |= negative ? sign_##f : 0;                                                      \
		r = n == d && (!n || n == inf_##f) ? (invalid) : r;                                \
		r = is_nan_##f(b) ? quieted_##f(b) : r;                                            \
		return is_nan_##f(c) ? quieted_##f(c) : r;                                         \
	}
FIXUP(f16, 10, MX_MODE_ROUND_F64, -100, 100, 0xfe00)
FIXUP(f32, 23, MX_MODE_ROUND_F32, -150, 129, 0xffc00000)
FIXUP(f64, 52, MX_MODE_ROUND_F64, -1075, 1025, UINT64_C(0xfff8) << 48)
#define HALF(i) (x->s[i][0][l] & 0xffff)
VALU(v_div_fixup_f16, D(fixup_f16(HALF(0), HALF(1), HALF(2), x->mode)))
SAME(v_div_fixup_legacy_f16, v_div_fixup_f16)
VALU(v_div_fixup_f32, D(fixup_f32(A, B, C, x->mode)))
VALU(v_div_fixup_f64, D64(fixup_f64(WIDE(0), WIDE(1), WIDE(2), x->mode)))

/* ---- v_div_scale: scaling that avoids denormals in the steps ---- */

/* a: b or c; b: denominator, c: numerator; *post: the quotient needs scaling. */
#define SCALE(f, real, mantissa, far, tiny, by)                                                    \
	static inline bool denormal_##f(real r) {                                                  \
		bits_of_##f m = magnitude_##f(bits_##f(r, 0));                                     \
		return m && !(m >> mantissa);                                                      \
	}                                                                                          \
	static inline bits_of_##f scaled_##f(bits_of_##f a, bits_of_##f b, bits_of_##f c,          \
	                                     bool *post) {                                         \
		real v = real_##f(a), d = real_##f(b), n = real_##f(c), factor = 1;                \
		int nf = (int)(magnitude_##f(c) >> mantissa);                                      \
		int df = (int)(magnitude_##f(b) >> mantissa);                                      \
		bool small_inverse = denormal_##f(1 / d);                                          \
		bool small = magnitude_##f(bits_##f(n / d, 0)) >> mantissa == 0 && isfinite(d);    \
		*post = false;                                                                     \
		if (n == 0 || d == 0)                                                              \
			return inf_##f | quieted_##f(0);                                           \
		if (nf - df >= far) {                                                              \
			*post = true;                                                              \
			factor = v == d ? by : 1;                                                  \
		} else if (denormal_##f(d))                                                        \
			factor = by;                                                               \
		else if (small_inverse) {                                                          \
			*post = small;                                                             \
			factor = !small || v == d ? 1 / by : 1;                                    \
		} else if (small) {                                                                \
			*post = true;                                                              \
			factor = v == n ? by : 1;                                                  \
		} else if (nf <= tiny)                                                             \
			factor = by;                                                               \
		return factor == 1 ? a : result_##f(bits_##f(v * factor, 0), a, 0, 0);             \
	}
SCALE(f32, float, 23, 96, 23, 0x1p64f)
SCALE(f64, double, 52, 768, 53, 0x1p128)
VALU(v_div_scale_f32, bool post; D(scaled_f32(A, B, C, &post)); OUT(post))
VALU(v_div_scale_f64, bool post; D64(scaled_f64(WIDE(0), WIDE(1), WIDE(2), &post)); OUT(post))

/* ---- v_div_fmas: the last step, with the scaling undone ---- */

static inline uint32_t fmas_f32(uint32_t a, uint32_t b, uint32_t c, bool scales, bool nearest) {
	double p = (double)real_f32(a) * real_f32(b); /* exact */
	double by = magnitude_f32(c) >> 23 > 127 ? 0x1p64 : 0x1p-64;
	float scaled = (float)(sum_to_odd(p, real_f32(c), nearest) * by);
	float r = scales ? scaled : fmaf(real_f32(a), real_f32(b), real_f32(c));
	return result_f32(bits_f32(r, 0), a, b, c);
}
VALU(v_div_fmas_f32, D(fmas_f32(A, B, C, IN, !(x->mode >> MX_MODE_ROUND_F32 & 3))))

/* A number with the sign of the error of r = fma(a, b, c), for rounding to nearest without
 * underflow (Boldo and Muller, "Exact and approximated error of the FMA"). */
static double fma_error(double a, double b, double c, double r) {
	double p = a * b, low = fma(a, b, -p);
	double s = c + low, t = s - c, rest = (c - (s - t)) + (low - t);
	double u = p + s, v = u - p, more = (p - (u - v)) + (s - v);
	return ((u - r) + more) + rest;
}

/* (r + error) 2^by, rounded once. Scaling rounds r, which is wrong only if r is exactly between two
 * denormals. */
static double scaled_once(double r, double error, int by) {
	double s = scalbn(r, by), back = scalbn(s, -by), rest = r - back;
	bool between = rest != 0 && fabs(rest) == scalbn(1, -1075 - by);
	if (between && error != 0 && (error > 0) == (rest > 0))
		return scalbn(back + 2 * rest, by);
	return s;
}

/* fma(a, b, c) 2^by for nonzero a and b: computed on significands, with c shifted. A distance of c
 * and the product above 300 bits gives the same result as 300. */
static double scaled_fma(double a, double b, double c, bool nearest, int by) {
	int ea, eb, ec;
	a = frexp(a, &ea);
	b = frexp(b, &eb);
	c = frexp(c, &ec);
	int apart = c == 0 ? 0 : ec - ea - eb, moved = apart < -300  ? -300
	                                               : apart > 300 ? 300
	                                                             : apart;
	c = scalbn(c, moved);
	double r = fma(a, b, c), error = nearest ? fma_error(a, b, c, r) : 0;
	return scaled_once(r, error, by + (apart > 300 ? ec - 300 : ea + eb));
}

static uint64_t fmas_f64(uint64_t a, uint64_t b, uint64_t c, bool scales, bool nearest) {
	double x = real_f64(a), y = real_f64(b), z = real_f64(c), r = fma(x, y, z);
	int by = magnitude_f64(c) >> 52 > 1023 ? 128 : -128;
	bool regular = isfinite(x * 0 + y * 0 + z * 0) && x != 0 && y != 0;
	if (scales)
		r = regular ? scaled_fma(x, y, z, nearest, by) : scalbn(r, by);
	return result_f64(bits_f64(r, 0), a, b, c);
}
VALU(v_div_fmas_f64,
     D64(fmas_f64(WIDE(0), WIDE(1), WIDE(2), IN, !(x->mode >> MX_MODE_ROUND_F64 & 3))))
