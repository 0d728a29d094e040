/* Lane functions that f16, f32 and f64 share [ISA 12.7 to 12.10]. lanes_f16.c, lanes_f32.c and
 * lanes_f64.c include this file once and define
 *   FLOAT    the format, as in names
 *   F(i)     source i of lane l
 *   R(bits)  sets the result of lane l */
#include "float_bits.h"
#include "lane_macros.h"

#define JOIN_(a, b)       a##_##b
#define JOIN(a, b)        JOIN_(a, b)
#define OF(name)          JOIN(name, FLOAT)
#define BITS              OF(bits_of)
#define REAL(i)           OF(real)(F(i))
#define VALU_(name, body) VALU(name, body)
#define LANES(name, bits) VALU_(OF(name), R(bits))

/* ---- arithmetic ---- */

#define SUM(sign, a, b) OF(result)(OF(bits)(REAL(a) sign REAL(b), x->mode), F(0), F(1), 0)
LANES(v_add, SUM(+, 0, 1))
LANES(v_mul, SUM(*, 0, 1))
LANES(v_fma, OF(result)(OF(bits)(OF(fused)(REAL(0), REAL(1), REAL(2), x->mode), x->mode), F(0),
                        F(1), F(2)))

/* ---- minimum, maximum, median ---- */

static inline bool OF(ieee)(const struct mx_lanes *x) {
	return x->mode >> MX_MODE_IEEE & 1;
}

/* The minimum or maximum m of a and b with NaN sources: the other source, except that in IEEE mode
 * a signaling NaN, made quiet, is the result. */
static inline BITS OF(number)(BITS a, BITS b, BITS m, bool ieee) {
	m = OF(is_nan)(b) ? a : m;
	m = OF(is_nan)(a) ? b : m;
	m = ieee && OF(is_signaling)(b) ? OF(quieted)(b) : m;
	return ieee && OF(is_signaling)(a) ? OF(quieted)(a) : m;
}
static inline BITS OF(least)(BITS a, BITS b, bool ieee) {
	return OF(number)(a, b, OF(key)(a) < OF(key)(b) ? a : b, ieee);
}
static inline BITS OF(most)(BITS a, BITS b, bool ieee) {
	return OF(number)(a, b, OF(key)(a) > OF(key)(b) ? a : b, ieee);
}
static inline BITS OF(least3)(BITS a, BITS b, BITS c, bool ieee) {
	return OF(least)(OF(least)(a, b, ieee), c, ieee);
}
static inline BITS OF(most3)(BITS a, BITS b, BITS c, bool ieee) {
	return OF(most)(OF(most)(a, b, ieee), c, ieee);
}
static inline BITS OF(median)(BITS a, BITS b, BITS c, bool ieee) {
	double m = OF(real)(OF(most3)(a, b, c, ieee));
	BITS r = OF(most)(a, b, ieee);
	r = m == OF(real)(b) ? OF(most)(a, c, ieee) : r;
	r = m == OF(real)(a) ? OF(most)(b, c, ieee) : r;
	bool nan = OF(is_nan)(a) || OF(is_nan)(b) || OF(is_nan)(c);
	return nan ? OF(least3)(a, b, c, ieee) : r;
}
/* IEEE 754's minimum and maximum propagate NaN, a signaling one first [ISA 12.11; the order from
 * RDNA4's manual]. */
static inline BITS OF(nan_or)(BITS a, BITS b, BITS otherwise) {
	otherwise = OF(is_nan)(b) ? b : otherwise;
	otherwise = OF(is_nan)(a) ? a : otherwise;
	otherwise = OF(is_signaling)(b) ? OF(quieted)(b) : otherwise;
	return OF(is_signaling)(a) ? OF(quieted)(a) : otherwise;
}
static inline BITS OF(minimum)(BITS a, BITS b) {
	return OF(nan_or)(a, b, OF(key)(a) < OF(key)(b) ? a : b);
}
static inline BITS OF(maximum)(BITS a, BITS b) {
	return OF(nan_or)(a, b, OF(key)(a) > OF(key)(b) ? a : b);
}
LANES(v_min, OF(least)(F(0), F(1), OF(ieee)(x)))
LANES(v_max, OF(most)(F(0), F(1), OF(ieee)(x)))
LANES(v_minimum, OF(minimum)(F(0), F(1)))
LANES(v_maximum, OF(maximum)(F(0), F(1)))

/* IEEE 754's minimumNumber and maximumNumber: NaN only if both are [RDNA4's manual]. */
static inline BITS OF(min_num)(BITS a, BITS b) {
	BITS m = OF(least)(a, b, false);
	return OF(is_nan)(a) && OF(is_nan)(b) ? OF(quieted)(a) : m;
}
static inline BITS OF(max_num)(BITS a, BITS b) {
	BITS m = OF(most)(a, b, false);
	return OF(is_nan)(a) && OF(is_nan)(b) ? OF(quieted)(a) : m;
}
static inline BITS OF(med3_num)(BITS a, BITS b, BITS c) {
	bool all = OF(is_nan)(a) && OF(is_nan)(b) && OF(is_nan)(c);
	return all ? OF(quieted)(a) : OF(median)(a, b, c, false);
}
LANES(v_min_num, OF(min_num)(F(0), F(1)))
LANES(v_max_num, OF(max_num)(F(0), F(1)))

/* ---- integers and exponents ---- */

#define ROUNDED(to) OF(result)(OF(bits)(to(REAL(0)), x->mode), F(0), 0, 0)
LANES(v_trunc, ROUNDED(OF(trunc)))
LANES(v_ceil, ROUNDED(OF(ceil)))
LANES(v_floor, ROUNDED(OF(floor)))
/* A zero has the sign of the source, as in IEEE 754's roundToIntegral: LLVM selects these opcodes
 * for llvm.roundeven (the manual's formula adds 0.5). */
LANES(v_rndne, ROUNDED(OF(roundeven)))

/* The result is below 1, even if MODE would round up to 1 [ISA 12.8; for f16 LLVM]. */
static inline BITS OF(fraction)(BITS u, uint32_t mode) {
	BITS r = OF(bits)(OF(real)(u) - OF(floor)(OF(real)(u)), mode);
	BITS one = OF(bits)(1, 0);
	return OF(result)(r >= one && r < OF(inf) ? one - 1 : r, u, 0, 0);
}
LANES(v_fract, OF(fraction)(F(0), x->mode))

/* The exponent for a significand in [0.5, 1), also of denormals; 0 for zero, infinity and NaN. */
static inline int OF(exponent)(BITS u) {
	int e = 0;
	bool finite = OF(magnitude)(u) < OF(inf);
	if (finite)
		frexp((double)OF(real)(u), &e);
	return e;
}
static inline BITS OF(significand)(BITS u) {
	int e;
	bool finite = OF(magnitude)(u) < OF(inf);
	BITS r = finite ? OF(bits)(frexp((double)OF(real)(u), &e), 0) : u;
	return OF(result)(r, u, 0, 0);
}
LANES(v_frexp_mant, OF(significand)(F(0)))

/* ---- comparisons ---- */

#define COMPARE_(name, truth) COMPARE(name, truth)
#define TEST(name, truth)     COMPARE_(OF(name), truth)
#define UNORDERED             (OF(is_nan)(F(0)) || OF(is_nan)(F(1)))
#define IS(relation)          (REAL(0) relation REAL(1))
TEST(f, 0)
TEST(lt, IS(<))
TEST(eq, IS(==))
TEST(le, IS(<=))
TEST(gt, IS(>))
TEST(lg, (IS(<) || IS(>)))
TEST(ge, IS(>=))
TEST(o, !UNORDERED)
TEST(u, UNORDERED)
TEST(nge, !IS(>=))
TEST(nlg, !(IS(<) || IS(>)))
TEST(ngt, !IS(>))
TEST(nle, !IS(<=))
TEST(neq, !IS(==))
TEST(nlt, !IS(<))
TEST(tru, 1)

/* The class of a number, as a bit of v_cmp_class's mask. */
static inline unsigned OF(class)(BITS u) {
	BITS m = OF(magnitude)(u), least_normal = OF(inf) & (0 - OF(inf));
	bool negative = u & OF(sign);
	if (m > OF(inf))
		return OF(is_signaling)(u) ? 0 : 1;
	unsigned size = m == OF(inf) ? 3 : m >= least_normal ? 2 : m ? 1 : 0;
	return negative ? 5 - size : 6 + size;
}
TEST(class, x->s[1][0][l] >> OF(class)(F(0)) & 1)
