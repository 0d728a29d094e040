/* Floats as bits and as host numbers, for the lane functions. Private to lanes_*.c.
 *
 * Host arithmetic on `real` numbers gives exactly the results of gfx950: f32 and f64 are host
 * formats, and valu.c sets the host's rounding as MODE selects. f16 is computed in double, in which
 * sums and products of two f16 are exact, and bits_f16 rounds once. Hosts differ in NaN results, so
 * these are computed here: the first NaN source, made quiet, or the positive quiet NaN (assumed;
 * the manual does not define it). */
#ifndef MX_FLOAT_BITS_H
#define MX_FLOAT_BITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lanes.h"

typedef uint32_t bits_of_f16, bits_of_bf16, bits_of_f32;
typedef uint64_t bits_of_f64;

#define MX_FLOAT_FORMAT(f, sign, inf, quiet)                                                       \
	__attribute__((unused)) static const bits_of_##f sign_##f = (sign), inf_##f = (inf);       \
	static inline bits_of_##f magnitude_##f(bits_of_##f u) {                                   \
		return u & (bits_of_##f)((sign)-1);                                                \
	}                                                                                          \
	static inline bool is_nan_##f(bits_of_##f u) {                                             \
		return magnitude_##f(u) > (inf);                                                   \
	}                                                                                          \
	static inline bool is_signaling_##f(bits_of_##f u) {                                       \
		return is_nan_##f(u) && !(u & (quiet));                                            \
	}                                                                                          \
	static inline bits_of_##f quieted_##f(bits_of_##f u) {                                     \
		return u | (quiet);                                                                \
	}                                                                                          \
	/* The result r, or its NaN. Missing operands are 0. */                                    \
	static inline bits_of_##f result_##f(bits_of_##f r, bits_of_##f a, bits_of_##f b,          \
	                                     bits_of_##f c) {                                      \
		r = is_nan_##f(r) ? (inf) | (quiet) : r;                                           \
		r = is_nan_##f(c) ? c | (quiet) : r;                                               \
		r = is_nan_##f(b) ? b | (quiet) : r;                                               \
		return is_nan_##f(a) ? a | (quiet) : r;                                            \
	}                                                                                          \
	/* A key in the order of the numbers, with -0 below +0. */                                 \
	static inline bits_of_##f key_##f(bits_of_##f u) {                                         \
		return u & (sign) ? ((sign) | ((sign)-1)) & ~u : u | (sign);                       \
	}
MX_FLOAT_FORMAT(f16, UINT32_C(0x8000), UINT32_C(0x7c00), UINT32_C(0x200))
MX_FLOAT_FORMAT(bf16, UINT32_C(0x8000), UINT32_C(0x7f80), UINT32_C(0x40))
MX_FLOAT_FORMAT(f32, UINT32_C(0x80000000), UINT32_C(0x7f800000), UINT32_C(0x400000))
MX_FLOAT_FORMAT(f64, UINT64_C(1) << 63, UINT64_C(0x7ff) << 52, UINT64_C(1) << 51)

/* ---- f32 and f64 are host formats; bits_* use MODE only for f16 ---- */

static inline float real_f32(uint32_t u) {
	float r;
	memcpy(&r, &u, 4);
	return r;
}
static inline uint32_t bits_f32(float r, uint32_t mode) {
	uint32_t u;
	(void)mode;
	memcpy(&u, &r, 4);
	return u;
}

/* Returns n, hidden from the optimiser. A compiler that can prove n >= 0 may convert 0 with a
 * difference of equal numbers, which is -0 if the host rounds down. */
static inline int64_t any_sign(int64_t n) {
	__asm__("" : "+r"(n));
	return n;
}

static inline double real_f64(uint64_t u) {
	double r;
	memcpy(&r, &u, 8);
	return r;
}
static inline uint64_t bits_f64(double r, uint32_t mode) {
	uint64_t u;
	(void)mode;
	memcpy(&u, &r, 8);
	return u;
}
static inline double power_of_2(int n) {
	return real_f64((uint64_t)(1023 + n) << 52);
}

/* ---- f16 ---- */

/* Exact. */
static inline double real_f16(uint32_t u) {
	uint32_t m = u & 0x7fff;
	uint32_t normal = (m << 13) + (m < 0x7c00 ? 112u << 23 : 224u << 23);
	float denormal = (float)(int32_t)m * 0x1p-24f;
	float r = m < 0x400 ? denormal : real_f32(normal);
	return u & 0x8000 ? -r : r;
}

/* The result of an overflow: infinity, or the largest f16 if MODE rounds toward 0 for this sign or
 * FP16_OVFL is set [ISA 3.5]. */
static inline uint32_t overflow_f16(bool negative, uint32_t mode) {
	unsigned rounding = mode >> MX_MODE_ROUND_F64 & 3;
	bool down = rounding == 3 || (rounding == 1 && negative) || (rounding == 2 && !negative);
	return down || mode >> MX_MODE_FP16_OVFL & 1 ? 0x7bff : 0x7c00;
}

/* Rounds to f16 in the host's rounding, which is that of MODE. Adding and subtracting a number of
 * the same sign, with the ULP of the result, rounds to that ULP. */
static inline uint32_t bits_f16(double r, uint32_t mode) {
	uint64_t u = bits_f64(r, 0), m = u & INT64_MAX;
	uint64_t field = m >> 52;
	uint32_t sign = (uint32_t)(u >> 48) & 0x8000;
	uint64_t binade = field < 1023 - 14 ? 1023 - 14 : field > 1023 + 16 ? 1023 + 16 : field;
	double magic = real_f64((binade + 42) << 52 | UINT64_C(1) << 51);
	double with = u >> 63 ? -magic : magic;
	double y = (r + with) - with;
	float rounded = fabsf((float)y);
	uint32_t normal = (bits_f32(rounded, 0) - (112u << 23)) >> 13;
	uint32_t denormal = (uint32_t)(int32_t)(rounded < 1 ? rounded * 0x1p24f : 0.0f);
	uint32_t code = rounded < 0x1p-14f ? denormal : normal;
	code = rounded > 65504.0f || m >= UINT64_C(0x40f) << 52 ? overflow_f16(sign, mode) : code;
	code = field == 0x7ff ? 0x7c00 : code;
	code = m > UINT64_C(0x7ff) << 52 ? 0x7e00 : code;
	return sign | code;
}

/* ---- bf16 ---- */

static inline double real_bf16(uint32_t u) {
	return real_f32(u << 16);
}

/* Rounds to bf16 in the host's rounding, which is that of MODE, by adding and subtracting a number
 * with the ULP of the result. */
static inline uint32_t bits_bf16(double r) {
	uint64_t u = bits_f64(r, 0), field = (u & INT64_MAX) >> 52;
	uint64_t binade = field < 1023 - 126 ? 1023 - 126 : field;
	double magic = real_f64((binade + 45) << 52 | UINT64_C(1) << 51);
	double with = u >> 63 ? -magic : magic;
	float y = (float)(field > 1023 + 127 ? r : (r + with) - with);
	return (magnitude_f32(bits_f32(y, 0)) | (u >> 63 ? sign_f32 : 0)) >> 16;
}

/* ---- to integers, with a rounding that does not depend on the host's. The sign is copied from the
 * source: a compiler may turn `up ? t + 1 : t` into one sum with 0, and the sign of 0 + 0 depends
 * on the host's rounding ---- */

#define MX_TO_INTEGER(f, real, mantissa, bias)                                                     \
	static inline real trunc_##f(real r) {                                                     \
		bits_of_##f u = bits_##f(r, 0);                                                    \
		int e = (int)(magnitude_##f(u) >> mantissa) - bias;                                \
		bits_of_##f fraction = ((bits_of_##f)1 << mantissa) - 1;                           \
		bits_of_##f lost = fraction >> (e < 0 ? 0 : e < mantissa ? e : mantissa);          \
		return real_##f(e < 0 ? u & sign_##f : e < mantissa ? u & ~lost : u);              \
	}                                                                                          \
	static inline real with_sign_##f(real n, real r) {                                         \
		return real_##f(magnitude_##f(bits_##f(n, 0)) | (bits_##f(r, 0) & sign_##f));      \
	}                                                                                          \
	static inline real floor_##f(real r) {                                                     \
		real t = trunc_##f(r);                                                             \
		return with_sign_##f(r < t ? t - 1 : t, r);                                        \
	}                                                                                          \
	static inline real ceil_##f(real r) {                                                      \
		real t = trunc_##f(r);                                                             \
		return with_sign_##f(r > t ? t + 1 : t, r);                                        \
	}                                                                                          \
	static inline real roundeven_##f(real r) {                                                 \
		real t = trunc_##f(r), rest = r - t, step = r < 0 ? -1 : 1;                        \
		bool odd = trunc_##f(t / 2) != t / 2, up = rest * step > (real)0.5;                \
		up |= odd && rest * step == (real)0.5;                                             \
		return with_sign_##f(up ? t + step : t, r);                                        \
	}
MX_TO_INTEGER(f32, float, 23, 127)
MX_TO_INTEGER(f64, double, 52, 1023)
#define trunc_f16     trunc_f64
#define floor_f16     floor_f64
#define ceil_f16      ceil_f64
#define roundeven_f16 roundeven_f64

/* ---- fused multiply-add, to be rounded once more by bits_* ---- */

static inline float fused_f32(float a, float b, float c, uint32_t mode) {
	(void)mode;
	return fmaf(a, b, c);
}
static inline double fused_f64(double a, double b, double c, uint32_t mode) {
	(void)mode;
	return fma(a, b, c);
}

/* A sum rounded to odd, so that a later rounding to nearest, of at most 51 bits, is correct. In the
 * other modes the host rounds the sum, and a second rounding in the same direction is harmless. The
 * error of a sum is exact if rounding is to nearest (Knuth). */
static inline double sum_to_odd(double p, double c, bool nearest) {
	double s = p + c, t = s - p;
	double error = (p - (s - t)) + (c - t);
	uint64_t u = bits_f64(s, 0);
	bool step = nearest && error != 0 && !(u & 1) && magnitude_f64(u) < inf_f64;
	uint64_t away = (error > 0) == (s > 0) ? u + 1 : u - 1;
	return step ? real_f64(away) : s;
}

/* The product of two f16 is exact in double. */
static inline double fused_f16(double a, double b, double c, uint32_t mode) {
	return sum_to_odd(a * b, c, !(mode >> MX_MODE_ROUND_F64 & 3));
}

#endif
