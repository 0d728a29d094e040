/* Every vector ALU opcode with floats under every MODE, against MPFR and the manual's definitions
 * in float.def. */
#include "machine_test.h"

#include <mpfr.h>

enum { LANES = 64, WAVES = 4, MOST_DWORDS = 8 };

/* ---- formats ---- */

typedef enum { NO, I, F16, BF16, F32, F64 } format_id;

static const struct format {
	unsigned bits, mantissa;
	int bias;
	bool wide; /* uses MODE's fields of f64 */
} formats[] = {
	[I] = { 64 },
	[F16] = { 16, 10, 15, true },
	[BF16] = { 16, 7, 127, false },
	[F32] = { 32, 23, 127, false },
	[F64] = { 64, 52, 1023, true },
};

static uint64_t ones(unsigned n) {
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}
static uint64_t sign_of(format_id f) {
	return UINT64_C(1) << (formats[f].bits - 1);
}
static uint64_t infinity_of(format_id f) {
	return sign_of(f) - (UINT64_C(1) << formats[f].mantissa);
}
static uint64_t magnitude(format_id f, uint64_t u) {
	return u & (sign_of(f) - 1);
}
static bool is_nan(format_id f, uint64_t u) {
	return magnitude(f, u) > infinity_of(f);
}
static uint64_t quiet_bit(format_id f) {
	return UINT64_C(1) << (formats[f].mantissa - 1);
}
static bool is_signaling(format_id f, uint64_t u) {
	return is_nan(f, u) && !(u & quiet_bit(f));
}
static bool is_denormal(format_id f, uint64_t u) {
	return magnitude(f, u) >> formats[f].mantissa == 0;
}

static uint64_t flushed(format_id f, uint64_t u) {
	return is_denormal(f, u) ? u & sign_of(f) : u;
}

static void to_mpfr(format_id f, uint64_t u, mpfr_t x) {
	uint64_t m = magnitude(f, u), field = m >> formats[f].mantissa;
	uint64_t sig = m & ones(formats[f].mantissa);
	if (is_nan(f, u))
		mpfr_set_nan(x);
	else if (m == infinity_of(f))
		mpfr_set_inf(x, 1);
	else
		mpfr_set_uj_2exp(x, field ? sig | UINT64_C(1) << formats[f].mantissa : sig,
		                 (int)(field ? field : 1) - formats[f].bias -
		                         (int)formats[f].mantissa,
		                 MPFR_RNDN);
	mpfr_setsign(x, x, (u & sign_of(f)) != 0, MPFR_RNDN);
}

/* The bits of a number that the format can represent. */
static uint64_t from_mpfr(format_id f, mpfr_t y) {
	uint64_t sign = mpfr_signbit(y) ? sign_of(f) : 0;
	if (mpfr_zero_p(y))
		return sign;
	if (mpfr_inf_p(y))
		return sign | infinity_of(f);
	int exponent = (int)mpfr_get_exp(y) - 1, least = 1 - formats[f].bias;
	int ulp = (exponent < least ? least : exponent) - (int)formats[f].mantissa;
	mpfr_mul_2si(y, y, -ulp, MPFR_RNDN);
	mpfr_abs(y, y, MPFR_RNDN);
	uint64_t sig = mpfr_get_uj(y, MPFR_RNDN);
	uint64_t field = exponent < least ? 0 : (uint64_t)(exponent - least);
	return sign | ((field << formats[f].mantissa) + sig);
}

/* y, already rounded to the format's precision with ternary value t, brought into its range. */
static uint64_t in_format(format_id f, mpfr_t y, int t, mpfr_rnd_t r, bool no_overflow) {
	mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
	bool finite = !mpfr_inf_p(y);
	mpfr_set_emin(2 - formats[f].bias - (int)formats[f].mantissa);
	mpfr_set_emax(formats[f].bias + 1);
	t = mpfr_check_range(y, t, r);
	mpfr_subnormalize(y, t, r);
	mpfr_set_emin(least);
	mpfr_set_emax(most);
	uint64_t u = from_mpfr(f, y);
	return no_overflow && finite && magnitude(f, u) == infinity_of(f) ? u - 1 : u;
}

/* Converts a NaN: keeps its upper bits and makes it quiet. */
static uint64_t nan_in(format_id to, format_id from, uint64_t u) {
	uint64_t payload = (u & ones(formats[from].mantissa)) << (52 - formats[from].mantissa);
	return (u & sign_of(from) ? sign_of(to) : 0) | infinity_of(to) | quiet_bit(to) |
	       payload >> (52 - formats[to].mantissa);
}

/* ---- the names that a statement of float.def uses ---- */

typedef struct {
	uint64_t A, B, C, old; /* bits of the sources, after MODE has flushed them */
	mpfr_t a, b, c, y, z;
	int t;
	mpfr_rnd_t r;
	bool ieee;
	format_id f;
	unsigned element;   /* of packed ones */
	bool set, negative; /* SET was used; an invalid result is the negative NaN */
	uint64_t out;
	uint32_t v[8];
	uint32_t mode;
} lane;

#define SET(value)                                                                                 \
	do {                                                                                       \
		x->out = (value);                                                                  \
		x->set = true;                                                                     \
	} while (0)
#define a      x->a
#define b      x->b
#define c      x->c
#define y      x->y
#define z      x->z
#define r      x->r
#define A      x->A
#define B      x->B
#define C      x->C
#define IS(op) x->t = (op)

/* A number wins over a NaN, except that in IEEE mode a signaling NaN wins [ISA 12.7]. */
static uint64_t extreme(format_id f, uint64_t u, uint64_t v, bool ieee, bool greatest) {
	mpfr_t p, q;
	if (ieee && is_signaling(f, u))
		return u | quiet_bit(f);
	if (ieee && is_signaling(f, v))
		return v | quiet_bit(f);
	if (is_nan(f, u) || is_nan(f, v))
		return is_nan(f, u) ? v : u;
	if (!magnitude(f, u) && !magnitude(f, v))
		return greatest ? u & v : u | v;
	mpfr_inits2(64, p, q, NULL);
	to_mpfr(f, u, p);
	to_mpfr(f, v, q);
	bool less = mpfr_less_p(p, q);
	mpfr_clears(p, q, NULL);
	return less != greatest ? u : v;
}
#define LEAST(u, v) extreme(x->f, u, v, x->ieee, false)
#define MOST(u, v)  extreme(x->f, u, v, x->ieee, true)

static bool same(format_id f, uint64_t u, uint64_t v) {
	return !is_nan(f, u) && (u == v || (!magnitude(f, u) && !magnitude(f, v)));
}

static uint64_t median(lane *x) {
	uint64_t m = MOST(MOST(A, B), C);
	if (is_nan(x->f, A) || is_nan(x->f, B) || is_nan(x->f, C))
		return LEAST(LEAST(A, B), C);
	return same(x->f, m, A) ? MOST(B, C) : same(x->f, m, B) ? MOST(A, C) : MOST(A, B);
}

/* NaN if a source is NaN, a signaling NaN first. */
static uint64_t extreme_or_nan(format_id f, uint64_t u, uint64_t v, bool greatest) {
	if (is_nan(f, u) || is_nan(f, v))
		return (is_signaling(f, u)   ? u
		        : is_signaling(f, v) ? v
		        : is_nan(f, u)       ? u
		                             : v) |
		       quiet_bit(f);
	return extreme(f, u, v, true, greatest);
}
#define EXTREME3(greatest) extreme_or_nan(x->f, extreme_or_nan(x->f, A, B, greatest), C, greatest)

/* Saturates an integer to [least, most]; NaN becomes 0. */
static uint64_t integer(mpfr_t n, int64_t least, int64_t most) {
	if (mpfr_nan_p(n))
		return 0;
	if (mpfr_cmp_si(n, (long)least) < 0)
		return (uint64_t)least;
	return (uint64_t)(mpfr_cmp_si(n, (long)most) > 0 ? most : mpfr_get_sj(n, MPFR_RNDZ));
}
#define INTEGER(to, least, most) (to, integer(z, least, most))
#define I32(to)                  ((uint32_t)INTEGER(to, INT32_MIN, INT32_MAX))
#define U32(to)                  ((uint32_t)INTEGER(to, 0, UINT32_MAX))
#define I16(to)                  ((uint16_t)INTEGER(to, INT16_MIN, INT16_MAX))
#define U16(to)                  ((uint16_t)INTEGER(to, 0, UINT16_MAX))

/* n in [least, 1], times `times`, rounded. */
static uint64_t norm(lane *x, mpfr_t n, int least, unsigned times) {
	mpfr_set(z, n, MPFR_RNDN);
	if (mpfr_cmp_si(z, least) < 0)
		mpfr_set_si(z, least, MPFR_RNDN);
	if (mpfr_cmp_si(z, 1) > 0)
		mpfr_set_si(z, 1, MPFR_RNDN);
	mpfr_mul_ui(z, z, times, MPFR_RNDN);
	mpfr_rint(z, z, r);
	return integer(z, INT32_MIN, INT32_MAX) & 0xffff;
}
#define SNORM(n) norm(x, n, -1, 32767)
#define UNORM(n) norm(x, n, 0, 65535)

static uint64_t byte_put(uint64_t byte, uint64_t place, uint64_t old) {
	uint8_t d[4];
	uint32_t u = (uint32_t)old;
	memcpy(d, &u, 4);
	d[place % 4] = (uint8_t)byte;
	memcpy(&u, d, 4);
	return u;
}

/* Bit of the class mask [ISA 12.9]. */
static unsigned class_of(format_id f, uint64_t u) {
	bool negative = u & sign_of(f);
	if (is_nan(f, u))
		return is_signaling(f, u) ? 0 : 1;
	if (magnitude(f, u) == infinity_of(f))
		return negative ? 2 : 9;
	if (!is_denormal(f, u))
		return negative ? 3 : 8;
	if (magnitude(f, u))
		return negative ? 4 : 7;
	return negative ? 5 : 6;
}

static int exponent(lane *x) {
	return mpfr_regular_p(a) ? (int)mpfr_get_exp(a) : 0;
}
static void frexp_significand(lane *x) {
	mpfr_set(y, a, MPFR_RNDN);
	if (mpfr_regular_p(a))
		mpfr_set_exp(y, 0);
	x->t = 0;
}

static int fraction(lane *x) {
	mpfr_floor(z, a);
	int t = mpfr_sub(y, a, z, r);
	if (mpfr_nan_p(y) || mpfr_cmp_ui(y, 1) < 0)
		return t;
	mpfr_set_ui(y, 1, r);
	mpfr_nextbelow(y);
	return -1;
}
#define INTEGRAL(to) (to(y, a), 0)

/* a times 2^n. */
static int scaled(lane *x, int64_t n) {
	n = n < -10000 ? -10000 : n > 10000 ? 10000 : n;
	return mpfr_mul_2si(y, a, (long)n, r);
}

static uint64_t f32_bits(float f) {
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

#define CMP_(relation) mpfr_##relation##_p(a, b)
#define UNORDERED      mpfr_unordered_p(a, b)

/* Cube maps: the greatest of x, y, z; of equal ones the last. */
static int axis(lane *x) {
	if (mpfr_cmpabs(c, a) >= 0 && mpfr_cmpabs(c, b) >= 0 && !mpfr_nan_p(c) && !mpfr_nan_p(a) &&
	    !mpfr_nan_p(b))
		return 2;
	return !mpfr_nan_p(a) && !mpfr_nan_p(b) && mpfr_cmpabs(b, a) >= 0 ? 1 : 0;
}
static bool traits_back(lane *x) {
	int n = axis(x);
	return mpfr_sgn(n == 2 ? c : n == 1 ? b : a) < 0;
}
#define MINUS(u) ((u) ^ 0x80000000)

/* Twice the component of the major axis. */
static void twice_axis(lane *x) {
	int n = axis(x);
	uint64_t u = n == 2 ? C : n == 1 ? B : A;
	if (is_nan(F32, u))
		SET(u | quiet_bit(F32));
	else
		IS(mpfr_mul_2ui(y, n == 2 ? c : n == 1 ? b : a, 1, r));
}

/* An f16, flushed if MODE flushes results. */
static uint64_t half(lane *x, uint64_t u) {
	return !(x->mode >> 7 & 1) && is_denormal(F16, u) ? u & 0x8000 : u;
}

static uint64_t toward_zero(lane *x, uint64_t u, mpfr_t n) {
	if (is_nan(F32, u))
		return nan_in(F16, F32, u);
	mpfr_set_prec(y, formats[F16].mantissa + 1);
	int t = mpfr_set(y, n, MPFR_RNDZ);
	return half(x, in_format(F16, y, t, MPFR_RNDZ, false));
}

/* ---- transcendental: invalid operands give the negative NaN, as in the examples of
 * [ISA 12.8] ---- */

static void sqrt_of(lane *x) {
	x->negative = true;
	IS(mpfr_sqrt(y, a, r));
}
static void rsq(lane *x) {
	x->negative = true;
	if (mpfr_zero_p(a))
		IS((mpfr_set_inf(y, mpfr_signbit(a) ? -1 : 1), 0));
	else
		IS(mpfr_rec_sqrt(y, a, r));
}
static void logarithm(lane *x) {
	x->negative = true;
	IS(mpfr_log2(y, a, r));
}
/* The sine of 2 pi a. A zero result is positive, except for a = 0. */
static void sine(lane *x) {
	x->negative = true;
	IS(mpfr_sinu(y, a, 1, r));
	if (mpfr_zero_p(y) && !mpfr_zero_p(a))
		mpfr_set_zero(y, 1);
}
static void cosine(lane *x) {
	x->negative = true;
	IS(mpfr_cosu(y, a, 1, r));
	if (mpfr_zero_p(y))
		mpfr_set_zero(y, 1);
}

/* 53 bits from `shift` on of the first 1201 bits of 2 / pi [ISA 12.11]. */
static uint64_t two_over_pi(uint64_t u, uint64_t segment) {
	mpfr_t t, whole;
	long field = (long)(magnitude(F64, u) >> 52), shift = (long)(segment % 32) * 53;
	if (field > 1077)
		shift += field - 1077;
	mpfr_inits2(8000, t, whole, NULL);
	mpfr_const_pi(t, MPFR_RNDN);
	mpfr_ui_div(t, 2, t, MPFR_RNDN);
	mpfr_mul_2si(t, t, 1201, MPFR_RNDN);
	mpfr_floor(t, t);
	mpfr_mul_2si(t, t, shift - 1201, MPFR_RNDN);
	mpfr_floor(whole, t);
	mpfr_sub(t, t, whole, MPFR_RNDN);
	mpfr_mul_2si(t, t, 53, MPFR_RNDN);
	mpfr_floor(t, t);
	mpfr_mul_2si(t, t, -53 - shift + (field >= 1968 ? 128 : 0), MPFR_RNDN);
	int inexact = mpfr_prec_round(t, 53, MPFR_RNDZ);
	u = in_format(F64, t, inexact, MPFR_RNDZ, false);
	mpfr_clears(t, whole, NULL);
	return u;
}

/* ---- division [ISA 12.11] ---- */

static bool infinite(format_id f, uint64_t u) {
	return magnitude(f, u) == infinity_of(f);
}
static int field_of(format_id f, uint64_t u) {
	return (int)(magnitude(f, u) >> formats[f].mantissa);
}
/* A: quotient, B: denominator, C: numerator. */
static void division(lane *x) {
	format_id f = x->f;
	uint64_t sign = (B ^ C) & sign_of(f);
	int too_small = f == F32 ? -150 : f == F64 ? -1075 : -1000;
	int too_large = f == F32 ? 129 : f == F64 ? 1025 : 1000;
	bool up = r == (sign ? MPFR_RNDD : MPFR_RNDU);
	if (is_nan(f, C) || is_nan(f, B))
		SET((is_nan(f, C) ? C : B) | quiet_bit(f));
	else if ((!magnitude(f, B) && !magnitude(f, C)) || (infinite(f, B) && infinite(f, C)))
		SET(sign_of(f) | infinity_of(f) | quiet_bit(f));
	else if (!magnitude(f, B) || infinite(f, C))
		SET(sign | infinity_of(f));
	else if (infinite(f, B) || !magnitude(f, C))
		SET(sign);
	else if (field_of(f, C) - field_of(f, B) < too_small)
		SET(sign | up);
	else if (field_of(f, C) - field_of(f, B) > too_large)
		SET(sign | (up || r == MPFR_RNDN ? infinity_of(f) : infinity_of(f) - 1));
	else
		SET(sign | magnitude(f, A));
}

static bool denormal_quotient(lane *x, mpfr_t n, mpfr_t d) {
	format_id f = x->f;
	int t = mpfr_div(y, n, d, MPFR_RNDN);
	if (mpfr_nan_p(y) || mpfr_inf_p(y) || mpfr_inf_p(d))
		return false;
	uint64_t u = in_format(f, y, t, MPFR_RNDN, false);
	return is_denormal(f, u);
}

/* The power of 2 that scales A; *post: whether the quotient needs scaling. */
static int division_scaling(lane *x, bool *post) {
	format_id f = x->f;
	int by = f == F32 ? 64 : 128, far = f == F32 ? 96 : 768, tiny = f == F32 ? 23 : 53;
	mpfr_set_ui(z, 1, MPFR_RNDN);
	bool inverse = denormal_quotient(x, z, b), quotient = denormal_quotient(x, c, b);
	bool denominator = magnitude(f, B) && is_denormal(f, B);
	*post = field_of(f, C) - field_of(f, B) >= far;
	if (*post)
		return same(f, A, B) ? by : 0;
	if (denominator)
		return by;
	*post = quotient;
	if (inverse)
		return !quotient || same(f, A, B) ? -by : 0;
	if (quotient)
		return same(f, A, C) ? by : 0;
	return field_of(f, C) <= tiny ? by : 0;
}
static void division_scale(lane *x) {
	bool post, zero = !magnitude(x->f, B) || !magnitude(x->f, C);
	int by = division_scaling(x, &post);
	mpfr_set_prec(y, formats[x->f].mantissa + 1);
	if (zero)
		SET(infinity_of(x->f) | quiet_bit(x->f));
	else if (!by)
		SET(A);
	else
		IS(mpfr_mul_2si(y, a, by, r));
}
static void division_post(lane *x) {
	bool post, zero = !magnitude(x->f, B) || !magnitude(x->f, C);
	division_scaling(x, &post);
	SET(post && !zero);
}
/* VCC is the sign of v9. */
static void division_fmas(lane *x) {
	int by = x->f == F32 ? 64 : 128;
	mpfr_fma(z, a, b, c, r);
	if (x->v[7] >> 31)
		mpfr_mul_2si(z, z, field_of(x->f, C) > formats[x->f].bias ? by : -by, r);
	IS(mpfr_set(y, z, r));
}

/* ---- f16: rounded and flushed after the product and after the sum ---- */

static void multiply_add(lane *x, mpfr_t m, mpfr_t n) {
	bool limited = x->mode >> 23 & 1;
	int t = mpfr_mul(y, a, m, r);
	if (mpfr_nan_p(y))
		return;
	to_mpfr(F16, flushed(F16, in_format(F16, y, t, r, limited)), z);
	IS(mpfr_add(y, z, n, r));
}

/* ---- mixed formats: an f32 first, then f16 ---- */

static mpfr_rnd_t rounding_of_f32(const lane *x) {
	static const mpfr_rnd_t roundings[] = { MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ };
	return roundings[x->mode & 3];
}
static void mixed(lane *x) {
	r = rounding_of_f32(x);
	IS(mpfr_fma(y, a, b, c, r));
}
static void mixed_half(lane *x) {
	mpfr_rnd_t first = rounding_of_f32(x);
	mpfr_set_prec(y, 24);
	int t = mpfr_fma(y, a, b, c, first);
	if (mpfr_nan_p(y))
		return;
	uint64_t u = in_format(F32, y, t, first, false);
	to_mpfr(F32, x->mode >> 5 & 1 ? u : flushed(F32, u), z);
	mpfr_set_prec(y, 11);
	IS(mpfr_set(y, z, r));
}

/* ---- dot products: rounded and flushed step by step ---- */

static void next_f32(lane *x, int t) {
	if (!mpfr_nan_p(y))
		to_mpfr(F32, flushed(F32, in_format(F32, y, t, MPFR_RNDN, false)), y);
}
static void dot2(lane *x, format_id f, bool addend_first) {
	mpfr_t p[2], u, v;
	uint64_t e[5] = { A, flushed(f, x->v[0] >> 16), B, flushed(f, x->v[2] >> 16), C };
	mpfr_inits2(24, p[0], p[1], u, v, NULL);
	mpfr_set_prec(y, 24);
	for (int i = 0; i < 2; i++) {
		to_mpfr(f, e[i], u);
		to_mpfr(f, e[2 + i], v);
		next_f32(x, mpfr_mul(y, u, v, MPFR_RNDN));
		mpfr_set(p[i], y, MPFR_RNDN);
	}
	next_f32(x, addend_first ? mpfr_add(y, c, p[0], r) : mpfr_add(y, p[0], p[1], r));
	IS(addend_first ? mpfr_add(y, y, p[1], r) : mpfr_add(y, y, c, r));
	for (int i = 4; i >= 0; i--)
		if (is_nan(i < 4 ? f : F32, e[i]))
			SET(nan_in(F32, i < 4 ? f : F32, e[i]));
	mpfr_clears(p[0], p[1], u, v, NULL);
}
#define NEGATE(n, u)   ((u) ^= sign_of(x->f), mpfr_neg(n, n, r))
#define ABSOLUTE(n, u) ((u) = magnitude(x->f, u), mpfr_abs(n, n, r))

#define UNPACK(...)     __VA_ARGS__
#define COUNT(...)      (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)
#define ROW(...)        FROW(__LINE__, __VA_ARGS__)
#define FROW(line, ...) FROW_(line, __VA_ARGS__)
#define FROW_(line, text, dwords, d, s0, s1, s2, what, ...)                                        \
	static void f_##line(lane *x) {                                                            \
		__VA_ARGS__;                                                                       \
	}
#include "float.def"
#undef ROW

#define ROW(...)          FENTRY(__LINE__, __VA_ARGS__)
#define FENTRY(line, ...) FENTRY_(line, __VA_ARGS__)
#define FENTRY_(line, text, dwords, d, s0, s1, s2, what, ...)                                      \
	{ text, { UNPACK dwords }, COUNT dwords, d, { s0, s1, s2 }, what, f_##line },
enum {
	KEEP = 1 << 0,
	FLUSH = 1 << 1,
	NEAREST = 1 << 2,
	OLD = 1 << 3,
	RAW = 1 << 4,
	CLAMP = 1 << 5,
	HALF = 1 << 6,
	HIGH = 1 << 7,
	PAIR = 1 << 8,
	SWAP = 1 << 9,
	QUOTIENT = 1 << 10,
	OMOD = 1 << 11,
	HIGH_0 = 1 << 12,
	HIGH_1 = 1 << 13,
	HIGH_2 = 1 << 14,
	NOTED = 1 << 15,
};
static const struct row {
	const char *text;
	uint32_t code[MOST_DWORDS];
	size_t dwords;
	format_id d, s[3];
	unsigned what;
	void (*define)(lane *x);
} rows[] = {
#include "float.def"
};
#undef a
#undef b
#undef c
#undef y
#undef z
#undef r
#undef A
#undef B
#undef C
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the expected result of a lane ---- */

static unsigned denormals(format_id f, uint32_t mode, unsigned what) {
	return what & FLUSH ? 0 : mode >> (formats[f].wide ? 6 : 4) & 3;
}

static uint64_t source(const struct row *row, const lane *x, unsigned i) {
	unsigned at = i == 2 && row->what & OLD ? 6 : 2 * i, e = x->element;
	uint64_t u = x->v[at] | (uint64_t)x->v[at + 1] << 32;
	format_id f = row->s[i];
	if (f == NO)
		return 0;
	if (row->what & SWAP && i == 0)
		e = !e;
	if (row->what & PAIR)
		u >>= formats[f].bits * e;
	if (row->what & HIGH_0 << i)
		u >>= 16;
	u &= ones(formats[f].bits);
	bool kept = f == I || row->what & RAW || denormals(f, x->mode, row->what) & 1;
	return kept ? u : flushed(f, u);
}

static mpfr_rnd_t rounding(const struct row *row, uint32_t mode) {
	static const mpfr_rnd_t r[] = { MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ };
	bool wide = formats[row->d].wide || formats[row->s[0]].wide;
	return row->what & NEAREST ? MPFR_RNDN : r[mode >> (wide ? 2 : 0) & 3];
}

/* The number y, or the first NaN among the sources. */
static uint64_t arithmetic(const struct row *row, lane *x) {
	const uint64_t s[] = { x->A, x->B, x->C };
	if (!mpfr_nan_p(x->y))
		return in_format(row->d, x->y, x->t, x->r, row->d == F16 && x->mode >> 23 & 1);
	for (unsigned i = 0; i < 3; i++)
		if (row->s[i] > I && is_nan(row->s[i], s[i]))
			return nan_in(row->d, row->s[i], s[i]);
	return infinity_of(row->d) | quiet_bit(row->d) | (x->negative ? sign_of(row->d) : 0);
}

/* OMOD times 2 [ISA 6.2.2] applies if MODE flushes results and is not in IEEE mode; 0 becomes
 * +0. */
static uint64_t doubled(format_id f, uint64_t u, uint32_t mode) {
	uint64_t m = magnitude(f, u), more = m + (UINT64_C(1) << formats[f].mantissa);
	if (denormals(f, mode, 0) & 2 || mode >> 9 & 1 || m >= infinity_of(f))
		return u;
	if (!m)
		return 0;
	return (u & sign_of(f)) | (more > infinity_of(f) ? infinity_of(f) : more);
}

static uint64_t clamped(format_id f, uint64_t u, uint32_t mode) {
	uint64_t one = (uint64_t)formats[f].bias << formats[f].mantissa;
	if (is_nan(f, u))
		return mode >> 8 & 1 ? 0 : u;
	return u & sign_of(f) ? 0 : u > one ? one : u;
}

/* The result in v[8:9], with the other bits kept; flags define the other half of a 16-bit
 * result. */
static uint64_t placed(const struct row *row, uint64_t u, uint64_t old) {
	unsigned bits = row->what & HALF ? 16 : row->d == I ? 32 : formats[row->d].bits;
	uint64_t part = ones(bits == 64 ? 64 : 32);
	if (bits == 16)
		u = row->what & HIGH   ? (old & 0xffff) | (u & 0xffff) << 16
		    : row->what & KEEP ? (old & 0xffff0000) | (u & 0xffff)
		                       : u & 0xffff;
	return (old & ~part) | (u & part);
}

static uint64_t expected(const struct row *row, lane *x) {
	uint64_t s[3];
	for (unsigned i = 0; i < 3; i++)
		s[i] = source(row, x, i);
	x->A = s[0], x->B = s[1], x->C = s[2];
	x->old = x->v[6] | (uint64_t)x->v[7] << 32;
	mpfr_t *m[3] = { &x->a, &x->b, &x->c };
	for (unsigned i = 0; i < 3; i++)
		if (row->s[i] > I)
			to_mpfr(row->s[i], s[i], *m[i]);
	x->r = rounding(row, x->mode);
	x->ieee = x->mode >> 9 & 1;
	x->f = row->s[0];
	x->set = false;
	x->negative = false;
	mpfr_set_prec(x->y, row->d > I ? formats[row->d].mantissa + 1 : 64);
	row->define(x);
	uint64_t u = x->set ? x->out : arithmetic(row, x);
	if (row->d > I && !(denormals(row->d, x->mode, row->what) & 2))
		u = flushed(row->d, u);
	if (row->what & OMOD)
		u = doubled(row->d, u, x->mode);
	if (row->what & CLAMP)
		u = clamped(row->d, u, x->mode);
	return u;
}

static uint64_t expected_all(const struct row *row, lane *x) {
	uint64_t u = 0;
	unsigned bits = formats[row->d].bits;
	for (x->element = 0; x->element < (row->what & PAIR ? 2 : 1); x->element++)
		u |= expected(row, x) << bits % 64 * x->element;
	return row->what & PAIR && bits == 16 ? (x->old & ~ones(32)) | u
	       : row->what & PAIR             ? u
	                                      : placed(row, u, x->old);
}

/* ---- operands ---- */

static uint64_t seed = 950;

/* Numbers near every edge of a format, and near another number. */
static uint64_t operand(format_id f, uint64_t near) {
	uint64_t k = next_random(&seed), u = next_random(&seed);
	if (f <= I)
		return k % 4 == 0   ? u
		       : k % 4 == 1 ? u % 64
		       : k % 4 == 2 ? 0 - u % 64
		                    : u % 2048 - 1024;
	unsigned m = formats[f].mantissa;
	uint64_t one = (uint64_t)formats[f].bias << m, sign = u & sign_of(f);
	uint64_t small = u >> 40 & 7, low = (u >> 20) % (UINT64_C(1) << (m - 1));
	switch (k % 16) {
	case 0: return sign;
	case 1: return sign | (small + 1);
	case 2: return sign | ((UINT64_C(1) << m) - 4 + small);
	case 3: return sign | (one - 4 + small);
	case 4: return sign | (infinity_of(f) - 1 - small);
	case 5: return sign | infinity_of(f);
	case 6: return sign | infinity_of(f) | quiet_bit(f) | low;
	case 7: return sign | infinity_of(f) | (low ? low : 1);
	case 8: return near ^ sign;
	case 9: return (near + small - 4) & ones(formats[f].bits);
	case 10: return sign | (one + ((k >> 8) % 24 << m) + (small << (m - 3)));
	case 11:
	case 12: return sign | ((one + (((k >> 8) % 40) << m) - (UINT64_C(20) << m)) | low);
	default: return u & ones(formats[f].bits);
	}
}

/* ---- running ---- */

/* A lane's memory: v2 to v9, then v8 and v9 after the row. */
struct memory {
	uint32_t v[8], d[2], unused[6];
};

static const uint32_t prologue[] = {
	0x8e028c02,             /* s_lshl_b32 s2, s2, 12 */
	0x80000200,             /* s_add_u32 s0, s0, s2 */
	0x82018001,             /* s_addc_u32 s1, s1, 0 */
	0x24000086,             /* v_lshlrev_b32_e32 v0, 6, v0 */
	0xdc5c8000, 0x02000000, /* global_load_dwordx4 v[2:5], v0, s[0:1] */
	0xdc5c8010, 0x06000000, /* global_load_dwordx4 v[6:9], v0, s[0:1] offset:16 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
};
static const uint32_t epilogue[] = {
	0xdc748020, 0x00000800, /* global_store_dwordx2 v0, v[8:9], s[0:1] offset:32 */
	0xbf810000,             /* s_endpgm */
};

static uint64_t *executed; /* by opcode, over all runs */

static bool run_row(struct machine *m, const struct row *row) {
	struct code code = { 0 };
	APPEND(&code, prologue);
	append(&code, row->code, 4 * row->dwords);
	APPEND(&code, epilogue);
	run_code(m, &code);
	for (size_t i = 0; m->ran && i < mx_gfx950.n_ops; i++)
		executed[i] += m->report.stats.by_op[i];
	return row->what & NOTED ? only_notes(m) : no_findings(m);
}

static void set_up(const struct row *row, struct memory *lanes, unsigned n) {
	fill_arena(0xee);
	for (unsigned l = 0; l < n; l++) {
		uint32_t *v = lanes[l].v;
		uint64_t near = 0;
		for (unsigned i = 0; i < 4; i++) {
			format_id f = i < 3 ? row->s[i] : row->what & OLD ? row->s[2] : I;
			unsigned bits = f > I ? formats[f].bits : 64;
			uint64_t u = 0;
			for (unsigned at = 0; at < 64; at += bits, near = u >> (at - bits))
				u |= operand(f, near) << at;
			near = u & ones(bits);
			v[2 * i] = (uint32_t)u;
			v[2 * i + 1] = (uint32_t)(u >> 32);
		}
		if (row->what & QUOTIENT)
			memcpy(v, v + (next_random(&seed) % 2 ? 2 : 4), 8);
	}
}

static bool lane_right(const struct row *row, const struct memory *m, lane *x) {
	memcpy(x->v, m->v, sizeof x->v);
	uint64_t want = expected_all(row, x), got = m->d[0] | (uint64_t)m->d[1] << 32;
	if (want == got)
		return true;
	diag("%s: MODE %x: a %llx b %llx c %llx old %llx", row->text, x->mode,
	     (unsigned long long)x->A, (unsigned long long)x->B, (unsigned long long)x->C,
	     (unsigned long long)x->old);
	diag("got %016llx, want %016llx", (unsigned long long)got, (unsigned long long)want);
	return false;
}

/* Separate rounding of f32 and f64, each setting of denormals, IEEE, DX10_CLAMP, FP16_OVFL. */
static const uint32_t modes[] = {
	0x2f0, 0x3f9, 0x2f6, 0x0ff, 0x8002f0, 0x200, 0x290, 0x360, 0x8002a3, 0x010, 0x8001fc,
};
enum { MODES = sizeof modes / sizeof *modes };

static void test_row(struct machine *m, const struct row *row, lane *x) {
	struct memory *lanes = (struct memory *)arena;
	unsigned right = 0, i = 0;
	for (; i < MODES; i++) {
		m->kernel.mode = x->mode = modes[i];
		set_up(row, lanes, WAVES * LANES);
		if (!run_row(m, row))
			break;
		unsigned l = 0;
		while (l < WAVES * LANES && lane_right(row, &lanes[l], x))
			l++;
		if (l < WAVES * LANES)
			break;
		right++;
	}
	if (!ok(right == MODES, "%s", row->text))
		show_findings(m);
}

static void test_coverage(void) {
	unsigned missing = 0;
	for (size_t i = 0; i < mx_gfx950.n_ops; i++)
		if (has_floats(&mx_gfx950.ops[i]) && !executed[i])
			if (!missing++)
				diag("first missing: %s", mx_gfx950.ops[i].name);
	ok(!missing, "every opcode with floats has a directed vector");
}

int main(void) {
	struct machine m = machine();
	static lane x;
	_Static_assert(sizeof(struct memory) == 64 && WAVES * LANES * 64 <= ARENA, "lanes fit");
	executed = calloc(mx_gfx950.n_ops, sizeof *executed);
	mpfr_inits2(64, x.a, x.b, x.c, x.y, x.z, NULL);
	mpfr_set_prec(x.z, 4400);
	m.launch.grid[0] = WAVES;
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&m, &rows[i], &x);
	test_coverage();
	mx_report_free(&m.report);
	mpfr_clears(x.a, x.b, x.c, x.y, x.z, NULL);
	free(executed);
	return done_testing();
}
