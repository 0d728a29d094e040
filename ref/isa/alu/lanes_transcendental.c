/* Reciprocals, roots, exponentials, logarithms, sines [ISA 12.8].
 *
 * The manual gives only error bounds (1 ULP; f64: 2^29 ULP) and special values. Assumed: the
 * mathematical function, correctly rounded to nearest even. Invalid operands give the negative
 * quiet NaN, as in the manual's examples.
 *
 * Correct rounding: division and square root are the host's. The other functions are first computed
 * in double with a relative error below 2^-48. If both ends of the error interval round to the same
 * f32, the result is decided, which is nearly always so. Otherwise the host's long double functions
 * decide, with an error of about 2^-63. That is enough: among 2^32 operands the expected least
 * distance of a result from a rounding boundary is about 2^-57. Tests compare with MPFR: all of
 * f16, and binades of f32. */
#include "float_bits.h"
#include "lane_macros.h"

/* ---- functions of a double, with an error of 2^-48; the host rounds to nearest even (MX_NEAREST)
 * ---- */

/* 2^r: a power of 2 times the exponential series in [-1/2, 1/2] ln 2. The first omitted term is
 * below 2^-63. */
static inline double exp2_near(double r) {
	static const double ln2 = 0x1.62e42fefa39efp-1;
	double limited = r < -1000 ? -1000 : r <= 1000 ? r : 1000;
	double n = __builtin_rint(limited), t = (limited - n) * ln2, s = 1;
	for (int k = 14; k > 0; k--)
		s = 1 + s * (t * (1.0 / k));
	return r != r ? r : s * power_of_2((int)n);
}

/* log2 of a positive normal r: with r = 2^e m, m within [sqrt(1/2), sqrt(2)], e + 2 atanh(s) / ln
 * 2, s = (m - 1) / (m + 1) below 0.172; the first omitted term is below 2^-62. */
static inline double log2_near(double r) {
	static const double two_over_ln2 = 0x1.71547652b82fep+1;
	uint64_t u = bits_f64(r, 0) - bits_f64(0x1.6a09e667f3bcdp-1, 0);
	double e = (double)((int64_t)u >> 52), m = r * power_of_2(-(int)((int64_t)u >> 52));
	double s = (m - 1) / (m + 1), s2 = s * s, sum = 0;
	for (int k = 25; k > 0; k -= 2)
		sum = sum * s2 + 1.0 / k;
	return e + sum * s * two_over_ln2;
}

/* Splits r turns into quarter turns and a remainder within [-1/8, 1/8], exactly. */
static inline double turn(double r, unsigned *quarters) {
	double n = __builtin_rint(4 * r);
	double whole = 4 * __builtin_floor(n / 4);
	*quarters = (unsigned)(int)(n - whole);
	return r - n / 4;
}

/* Sines and cosines of t within [-pi/4, pi/4]; the first omitted terms are below 2^-60. */
static inline double sine_near(double t) {
	double s = 1, t2 = t * t;
	for (int k = 18; k > 0; k -= 2)
		s = 1 - s * (t2 * (1.0 / (k * (k + 1))));
	return s * t;
}
static inline double cosine_near(double t) {
	double s = 1, t2 = t * t;
	for (int k = 18; k > 0; k -= 2)
		s = 1 - s * (t2 * (1.0 / (k * (k - 1))));
	return s;
}
static inline double sine_of_turns(double r, unsigned ahead) {
	static const double two_pi = 0x1.921fb54442d18p+2;
	unsigned quarters;
	double t = turn(r, &quarters) * two_pi;
	quarters += ahead;
	double s = quarters & 1 ? cosine_near(t) : sine_near(t);
	return quarters & 2 ? 0 - s : s + 0.0;
}

/* ---- the same, with an error of about 2^-63 ---- */

static long double exp2_exact(double r) {
	return exp2l(r);
}
static long double log2_exact(double r) {
	return log2l(r);
}
static long double sine_exact(double r, unsigned ahead) {
	static const long double two_pi = 6.283185307179586476925286766559005768L;
	unsigned quarters;
	long double t = turn(r, &quarters) * two_pi;
	quarters += ahead;
	long double s = quarters & 1 ? cosl(t) : sinl(t);
	return quarters & 2 ? 0 - s : s + 0.0L;
}
static long double sin_exact(double r) {
	return sine_exact(r, 0);
}
static long double cos_exact(double r) {
	return sine_exact(r, 1);
}

/* ---- special operands ---- */

static inline double exp_of(double r) {
	return r > 0x1p1000 ? r : exp2_near(r);
}
static inline double log_of(double r) {
	double log = log2_near(r > 0 ? r : 1);
	return r > 0 ? (r > 0x1p1000 ? r : log) : r < 0 ? (double)NAN : -(double)INFINITY;
}
static inline double sin_of(double r) {
	double limited = fabs(r) < 0x1p1000 ? r : 0;
	double s = sine_of_turns(limited, 0);
	return r == 0 ? r : fabs(r) < 0x1p1000 ? s : (double)NAN;
}
static inline double cos_of(double r) {
	double limited = fabs(r) < 0x1p1000 ? r : 0;
	return fabs(r) < 0x1p1000 ? sine_of_turns(limited, 1) : (double)NAN;
}
/* Of the host: its errors are a few ULP of double, and of long double. */
static inline double tanh_of(double r) {
	return tanh(r);
}
static long double tanh_exact(double r) {
	return tanhl(r);
}
static inline double rcp_of(double r) {
	return 1 / r;
}
static inline double sqrt_of(double r) {
	return sqrt(r);
}
/* rsq of -0 is -infinity. */
static inline double rsq_of(double r) {
	return r == 0 ? 1 / r : 1 / sqrt(r);
}

/* The result, or the NaN of operand u. */
#define NAN_FOR(f, bits, u)                                                                        \
	(is_nan_##f(u)      ? quieted_##f(u)                                                       \
	 : is_nan_##f(bits) ? sign_##f | inf_##f | quieted_##f(0)                                  \
	                    : (bits))

/* ---- f32 ---- */

/* Whether all numbers within the error of y round to the same f32. */
static inline bool decided(double y) {
	double error = fabs(y) * 0x1p-48;
	return (float)(y - error) == (float)(y + error) || y == 0 || y != y;
}
static inline uint32_t finished(uint32_t bits, uint32_t u) {
	return NAN_FOR(f32, bits, u);
}

#define BY_SERIES(name, near, exact)                                                               \
	LANE_FUNCTION(name) {                                                                      \
		uint32_t undecided = 0, open[MX_LANES];                                            \
		for (unsigned l = 0; l < MX_LANES; l++) {                                          \
			double y = near(real_f32(A));                                              \
			D(finished(bits_f32((float)y, 0), A));                                     \
			undecided |= open[l] = !decided(y);                                        \
		}                                                                                  \
		for (unsigned l = 0; undecided && l < MX_LANES; l++)                               \
			if (open[l])                                                               \
				D(bits_f32((float)exact(real_f32(A)), 0));                         \
	}
BY_SERIES(v_exp_f32, exp_of, exp2_exact)
BY_SERIES(v_log_f32, log_of, log2_exact)
BY_SERIES(v_sin_f32, sin_of, sin_exact)
BY_SERIES(v_cos_f32, cos_of, cos_exact)
BY_SERIES(v_tanh_f32, tanh_of, tanh_exact)
/* The meaning of "legacy" is not documented: assumed to be the same function. */
SAME(v_exp_legacy_f32, v_exp_f32)
SAME(v_log_legacy_f32, v_log_f32)

VALU(v_rcp_f32, D(finished(bits_f32(1 / real_f32(A), 0), A)))
SAME(v_rcp_iflag_f32, v_rcp_f32)
VALU(v_sqrt_f32, D(finished(bits_f32(sqrtf(real_f32(A)), 0), A)))
/* Two roundings in double give an error below 2^-51. A test covers two binades; all others equal
 * these times a power of 4. */
VALU(v_rsq_f32, D(finished(bits_f32((float)rsq_of(real_f32(A)), 0), A)))

/* ---- f16: a test covers all operands ---- */

#define ALL_F16(name, f)                                                                           \
	static inline uint32_t f##_f16(uint32_t u, uint32_t mode) {                                \
		uint32_t bits = bits_f16(f(real_f16(u)), mode & 1u << MX_MODE_FP16_OVFL);          \
		return NAN_FOR(f16, bits, u);                                                      \
	}                                                                                          \
	VALU(name, D(f##_f16(A & 0xffff, x->mode)))
ALL_F16(v_rcp_f16, rcp_of)
ALL_F16(v_sqrt_f16, sqrt_of)
ALL_F16(v_rsq_f16, rsq_of)
ALL_F16(v_exp_f16, exp_of)
ALL_F16(v_log_f16, log_of)
ALL_F16(v_sin_f16, sin_of)
ALL_F16(v_cos_f16, cos_of)
ALL_F16(v_tanh_f16, tanh_of)

/* ---- bf16: a test covers all operands ---- */

#define ALL_BF16(name, f)                                                                          \
	static inline uint32_t f##_bf16(uint32_t u) {                                              \
		double r = f(real_bf16(u));                                                        \
		uint32_t bits = isnan(r) ? inf_bf16 + 1 : bits_bf16(r);                            \
		return NAN_FOR(bf16, bits, u);                                                     \
	}                                                                                          \
	VALU(name, D(f##_bf16(A & 0xffff)))
ALL_BF16(v_rcp_bf16, rcp_of)
ALL_BF16(v_sqrt_bf16, sqrt_of)
ALL_BF16(v_rsq_bf16, rsq_of)
ALL_BF16(v_exp_bf16, exp_of)
ALL_BF16(v_log_bf16, log_of)
ALL_BF16(v_sin_bf16, sin_of)
ALL_BF16(v_cos_bf16, cos_of)
ALL_BF16(v_tanh_bf16, tanh_of)

/* ---- f64 ---- */

static inline uint64_t finished_f64(uint64_t bits, uint64_t u) {
	return NAN_FOR(f64, bits, u);
}
VALU(v_rcp_f64, D64(finished_f64(bits_f64(1 / real_f64(WIDE(0)), 0), WIDE(0))))
VALU(v_sqrt_f64, D64(finished_f64(bits_f64(sqrt(real_f64(WIDE(0))), 0), WIDE(0))))

/* Whether 1 / sqrt(x 2^-52) is above m 2^-54, for integers 2^52 <= x < 2^54, m <= 2^54:
 * x m^2 below 2^160, in exact arithmetic. */
static bool root_above(uint64_t x, uint64_t m) {
	unsigned __int128 square = (unsigned __int128)m * m;
	unsigned __int128 low = (unsigned __int128)(uint64_t)square * x;
	unsigned __int128 high = (square >> 64) * x + (uint64_t)(low >> 64);
	return high < (unsigned __int128)1 << 96;
}

/* The inverse root, in (1/2, 1], of a number with an even exponent, in units of 2^-53. The root in
 * long double has an error below one unit. It is then compared with the rounding boundaries; no
 * root is exactly on one. */
static uint64_t inverse_root(uint64_t u) {
	int e;
	double m = frexp(real_f64(u), &e) * (e & 1 ? 2 : 4);
	e = e & 1 ? e - 1 : e - 2;
	uint64_t x = (uint64_t)(m * 0x1p52);
	uint64_t n = (uint64_t)(1 / sqrtl(m) * 0x1p53L);
	if (root_above(x, 2 * n + 1))
		n++;
	else if (!root_above(x, 2 * n - 1))
		n--;
	return bits_f64(scalbn((double)n, -53 - e / 2), 0);
}
static uint64_t rsq_f64(uint64_t u) {
	bool regular = u && u < inf_f64;
	uint64_t special = bits_f64(rsq_of(real_f64(u)), 0);
	return finished_f64(regular ? inverse_root(u) : special, u);
}
VALU(v_rsq_f64, D64(rsq_f64(WIDE(0))))

/* ---- v_trig_preop_f64: 53 bits of 2 / pi ---- */

/* The first 1201 bits, all that the manual defines [ISA 12.11]. */
static const uint64_t two_over_pi[] = {
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

/* Bits [from, from + 53); bit 0 is the first after the binary point. */
static uint64_t bits_of_pi(unsigned from) {
	enum { WORDS = sizeof two_over_pi / sizeof *two_over_pi };
	unsigned word = from / 64, shift = from % 64;
	uint64_t first = word < WORDS ? two_over_pi[word] : 0;
	uint64_t next = word + 1 < WORDS ? two_over_pi[word + 1] : 0;
	return (first << shift | (shift ? next >> (64 - shift) : 0)) >> 11;
}

/* Rounded toward zero if the lowest bits are below the smallest denormal. */
static uint64_t preop(uint64_t u, uint32_t segment) {
	int field = (int)(magnitude_f64(u) >> 52);
	int shift = (int)(segment & 31) * 53 + (field > 1077 ? field - 1077 : 0);
	int scale = -53 - shift + (field >= 1968 ? 128 : 0), lost = -1074 - scale;
	uint64_t n = bits_of_pi((unsigned)shift);
	if (lost > 0)
		n = lost < 64 ? n >> lost << lost : 0;
	return bits_f64(scalbn((double)any_sign((int64_t)n), scale), 0);
}
VALU(v_trig_preop_f64, D64(preop(WIDE(0), B)))
