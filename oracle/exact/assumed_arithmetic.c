/* Questions about arithmetic: the last bit of functions, the order of dot products, the helpers of
 * division. MPFR computes what must be correctly rounded. */
#include "assumed.h"

#include <math.h>
#include <mpfr.h>

enum { EXACT_PRECISION = 4400 }; /* of a sum of products of f64 */
enum { KEEP_DENORMALS = 0xf0, TOWARD_ZERO = 0xf };

/* A format; exponents in MPFR's convention. */
struct format {
	int precision;
	mpfr_exp_t least, most;
};

static struct format format_of(const char *name) {
	return !strcmp(name, "FP16")   ? (struct format){ 11, -23, 16 }
	       : !strcmp(name, "FP32") ? (struct format){ 24, -148, 128 }
	                               : (struct format){ 53, -1073, 1024 };
}

static uint64_t double_bits(double x) {
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static double double_of(const uint32_t *r) {
	uint64_t u = r[0] | (uint64_t)r[1] << 32;
	double x;
	memcpy(&x, &u, sizeof x);
	return x;
}

static void put_double(uint32_t *r, uint64_t u) {
	r[0] = (uint32_t)u;
	r[1] = (uint32_t)(u >> 32);
}

static double value_of(const char *format, const uint32_t *r) {
	uint32_t f32 = r[0];
	if (!strcmp(format, "FP64"))
		return double_of(r);
	exact_decode(format, r[0], &f32);
	return exact_float(f32);
}

/* Writes y, which has the precision of the format and was rounded by t, with the format's range. */
static void put_rounded(const char *format, mpfr_t y, int t, mpfr_rnd_t r, uint32_t *d) {
	struct format f = format_of(format);
	mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
	mpfr_set_emin(f.least);
	mpfr_set_emax(f.most);
	t = mpfr_check_range(y, t, r);
	mpfr_subnormalize(y, t, r);
	mpfr_set_emin(least);
	mpfr_set_emax(most);
	double x = mpfr_get_d(y, MPFR_RNDN);
	if (!strcmp(format, "FP64"))
		put_double(d, double_bits(x));
	else
		d[0] = !strcmp(format, "FP16") ? exact_f16(exact_bits((float)x))
		                               : exact_bits((float)x);
}

/* An exact number, rounded once. */
static void put_exact(const char *format, mpfr_t x, uint32_t *d) {
	mpfr_t y;
	mpfr_init2(y, format_of(format).precision);
	int t = mpfr_set(y, x, MPFR_RNDN);
	put_rounded(format, y, t, MPFR_RNDN, d);
	mpfr_clear(y);
}

/* ---- the last bit ---- */

static int reciprocal(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_ui_div(y, 1, x, r);
}
static int root(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_sqrt(y, x, r);
}
static int inverse_root(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_rec_sqrt(y, x, r);
}
static int exponential(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_exp2(y, x, r);
}
static int logarithm(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_log2(y, x, r);
}
static int sine(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_sinu(y, x, 1, r);
}
static int cosine(mpfr_t y, mpfr_t x, mpfr_rnd_t r) {
	return mpfr_cosu(y, x, 1, r);
}

/* Operands with normal results: binary exponents from least to most of a wide format. */
enum { RCP, SQRT, RSQ, EXP, LOG, SIN, COS };
static const struct function {
	int (*f)(mpfr_t y, mpfr_t x, mpfr_rnd_t r);
	bool positive;
	int least, most;
} functions[] = {
	[RCP] = { reciprocal, false, -120, 120 },  [SQRT] = { root, true, -126, 127 },
	[RSQ] = { inverse_root, true, -126, 127 }, [EXP] = { exponential, false, -24, 5 },
	[LOG] = { logarithm, true, -126, 127 },    [SIN] = { sine, false, -24, 7 },
	[COS] = { cosine, false, -24, 7 },
};

/* f16: in some order all numbers that the function is defined for. */
static void ask_half(const struct exact_question *q, size_t n, uint32_t *r) {
	uint32_t u = n * 40503 & 0xffff; /* odd, so 65536 lanes have all codes */
	bool bounded = q->detail == SIN || q->detail == COS;
	bool wide = (u & 0x7fff) >= 0x7c00 || (bounded && (u & 0x7fff) > 0x5c00); /* 256 */
	u = wide ? u & 0x83ff : u;
	r[0] = functions[q->detail].positive ? u & 0x7fff : u;
}

static void ask_function(const struct exact_question *q, size_t n, uint32_t *r) {
	const struct function *f = &functions[q->detail];
	uint64_t any = exact_any(n, q->detail);
	if (!strcmp(q->format, "FP16")) {
		ask_half(q, n, r);
		return;
	}
	double x = 1 + (double)(any >> 12) * 0x1p-52;
	x = ldexp(x, f->least + (int)(any % (unsigned)(f->most - f->least + 1)));
	x = any >> 11 & 1 && !f->positive ? -x : x;
	if (!strcmp(q->format, "FP64"))
		put_double(r, double_bits(x));
	else
		r[0] = exact_bits((float)x);
}

/* Correctly rounded, or rounded toward zero. The sine of a zero keeps its sign; of another whole
 * number of turns it is +0. */
static void function(const struct exact_question *q, unsigned answer, const uint32_t *r,
                     uint32_t *d) {
	mpfr_rnd_t rounding = answer ? MPFR_RNDZ : MPFR_RNDN;
	double x = value_of(q->format, r);
	mpfr_t exact, y;
	mpfr_init2(exact, 53);
	mpfr_init2(y, format_of(q->format).precision);
	mpfr_set_d(exact, x, MPFR_RNDN);
	int t = functions[q->detail].f(y, exact, rounding);
	if (mpfr_zero_p(y) && x != 0)
		mpfr_set_zero(y, 1);
	put_rounded(q->format, y, t, rounding, d);
	mpfr_clears(exact, y, NULL);
}

/* ---- the order of a dot product: answers are orders, rotated by `detail` ---- */

enum { IN_ORDER, PRODUCTS_FIRST, SECOND_FIRST, ONCE, KEPT, ORDERS };

static float flushed(float x, bool keep) {
	return keep || fabsf(x) >= 0x1p-126f ? x : copysignf(0, x);
}

static float rounded_once(const float *a, const float *b, float c) {
	mpfr_t sum, p;
	uint32_t d;
	mpfr_inits2(EXACT_PRECISION, sum, p, NULL);
	mpfr_set_flt(sum, c, MPFR_RNDN);
	for (int i = 0; i < 2; i++) {
		mpfr_set_flt(p, a[i], MPFR_RNDN);
		mpfr_mul_d(p, p, b[i], MPFR_RNDN);
		mpfr_add(sum, sum, p, MPFR_RNDN);
	}
	put_exact("FP32", sum, &d);
	mpfr_clears(sum, p, NULL);
	return flushed(exact_float(d), false);
}

static const char *half_format(const struct exact_question *q) {
	return strstr(q->kernel, "bf16") ? "BF16" : "FP16";
}

static void dot(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	bool rotated = q->detail && answer < ONCE, keep = answer == KEPT;
	unsigned order = keep ? q->detail : rotated ? (answer + q->detail) % ONCE : answer;
	float a[2], b[2], p[2], c = flushed(exact_float(r[2]), keep), sum;
	for (int i = 0; i < 2; i++) {
		uint32_t x, y;
		exact_decode(half_format(q), r[0] >> 16 * i & 0xffff, &x);
		exact_decode(half_format(q), r[1] >> 16 * i & 0xffff, &y);
		a[i] = exact_float(x);
		b[i] = exact_float(y);
		p[i] = flushed(a[i] * b[i], keep);
	}
	float first = order == PRODUCTS_FIRST ? p[0] : c, next = p[order == IN_ORDER ? 0 : 1];
	float last = order == IN_ORDER ? p[1] : order == PRODUCTS_FIRST ? c : p[0];
	sum = flushed(flushed(first + next, keep) + last, keep);
	d[0] = exact_bits(order == ONCE ? rounded_once(a, b, c) : sum);
}

/* Products and an addend of nearby exponents, so that sums lose bits; each eighth lane adds nothing
 * to a denormal. */
static void ask_dot(const struct exact_question *q, size_t n, uint32_t *r) {
	bool bf16 = !strcmp(half_format(q), "BF16");
	unsigned mantissa = bf16 ? 7 : 10, bias = bf16 ? 127 : 15;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t any = (uint32_t)exact_any(n, i);
		uint32_t field = bias - 6 + any % 13;
		uint32_t low = (any >> 8 & ((1u << mantissa) - 1)) | (any >> 16 & 0x8000);
		r[i / 2] |= (low | field << mantissa) << 16 * (i % 2);
	}
	r[2] = (uint32_t)exact_any(n, 4);
	r[2] = (r[2] & 0x807fffff) | (115 + r[2] % 24) << 23;
	if (n % 8)
		return;
	r[0] = 0;
	r[2] &= 0x807fffff;
}

/* ---- v_div_fmas ---- */

enum { BY_ADDEND, BY_32, BY_64, TWICE };

static void div_fmas(const struct exact_question *q, unsigned answer, const uint32_t *r,
                     uint32_t *d) {
	unsigned words = !strcmp(q->format, "FP64") ? 2 : 1;
	double c = value_of(q->format, r + 2 * words);
	int own = words == 2 ? 128 : 64;
	int by = answer == BY_32 ? own / 2 : answer == BY_64 ? own : fabs(c) >= 2 ? own : -own;
	mpfr_t x, sum;
	mpfr_inits2(EXACT_PRECISION, x, sum, NULL);
	mpfr_set_d(x, value_of(q->format, r), MPFR_RNDN);
	mpfr_mul_d(sum, x, value_of(q->format, r + words), MPFR_RNDN);
	mpfr_add_d(sum, sum, c, MPFR_RNDN);
	if (answer == TWICE) {
		put_exact(q->format, sum, d);
		mpfr_set_d(sum, value_of(q->format, d), MPFR_RNDN);
	}
	mpfr_mul_2si(sum, sum, by, MPFR_RNDN);
	put_exact(q->format, sum, d);
	mpfr_clears(x, sum, NULL);
}

/* A sum whose terms overlap. Scaled down, half of them are denormals that lose few bits: there two
 * roundings can differ from one. */
static void ask_fmas(const struct exact_question *q, size_t n, uint32_t *r) {
	bool wide = !strcmp(q->format, "FP64");
	int most = wide ? 800 : 50, least = wide ? -960 : -85, normal = wide ? -894 : -62;
	int exp = least + (int)(exact_any(n, 9) % (unsigned)(most - least + 1));
	exp = n % 2 ? normal - 1 - (int)(n / 2 % 3) : exp;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t any = exact_any(n, i);
		double x = (1 + (double)(any >> 12) * 0x1p-52) * (any & 1 ? -1 : 1);
		x = i == 1 ? x : ldexp(x, exp + (i == 2 ? (int)(any >> 1 & 3) : 0));
		if (wide)
			put_double(r + 2 * i, double_bits(x));
		else
			r[i] = exact_bits((float)x);
	}
}

/* ---- v_div_scale: its result, with VCC in the sign; operands are positive ---- */

enum { FOR_QUOTIENTS, AS_WRITTEN, UNSCALED };

/* Exponents: of the smallest normal number, of quotients near overflow, of numerators whose last
 * bit may be denormal, of the scaling [ISA 12.11]. */
struct division {
	const char *format;
	int normal, far, tiny, by;
};
static const struct division divisions[] = { { "FP32", -126, 96, 23 - 127, 64 },
	                                     { "FP64", -1022, 768, 53 - 1023, 128 } };

/* n / d, rounded to the format. */
static double quotient(const char *format, double n, double d) {
	uint32_t r[2];
	mpfr_t x;
	mpfr_init2(x, EXACT_PRECISION);
	mpfr_set_d(x, n, MPFR_RNDN);
	mpfr_div_d(x, x, d, MPFR_RNDN);
	put_exact(format, x, r);
	mpfr_clear(x);
	return value_of(format, r);
}

/* The power of two that scales v, which is b or c. AS_WRITTEN: the inverse counts as denormal as an
 * f64, which that of an f32 never is; and a quotient that rounds to 0 is not denormal. */
static int scaling(const struct division *f, double v, double b, double c, bool written,
                   bool *post) {
	double least = ldexp(1, f->normal), q = quotient(f->format, c, b);
	bool inverse = quotient(f->format, 1, b) < (written ? 0x1p-1022 : least);
	bool small = q < least && !(written && q == 0);
	bool far = ilogb(c) - ilogb(b) >= f->far;
	*post = far || (b >= least && small);
	if (far)
		return v == b ? f->by : 0;
	if (b < least)
		return f->by;
	if (inverse && small)
		return v == b ? (written ? f->by : -f->by) : 0;
	if (inverse)
		return -f->by;
	if (small)
		return v == c ? f->by : 0;
	return ilogb(c) <= f->tiny ? f->by : 0;
}

static void scale(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	const struct division *f = &divisions[!strcmp(q->format, "FP64")];
	unsigned words = f == divisions ? 1 : 2;
	double b = value_of(q->format, r + words), c = value_of(q->format, r + 2 * words);
	double v = q->detail ? c : b;
	bool post;
	int by = scaling(f, v, b, c, answer == AS_WRITTEN, &post);
	v = ldexp(v, answer == UNSCALED ? 0 : by);
	if (words == 2)
		put_double(d, double_bits(v));
	else
		d[0] = exact_bits((float)v);
	d[words - 1] |= (uint32_t)post << 31;
}

/* Exponents near the ends and in the middle. */
static void ask_scale(const struct exact_question *q, size_t n, uint32_t *r) {
	static const unsigned field[] = { 1, 20, 24, 60, 100, 127, 160, 222, 224, 252, 253, 254 };
	static const unsigned wide[] = { 1,    50,   54,   300,  900,  1023,
		                         1200, 1790, 1792, 2044, 2045, 2046 };
	enum { FIELDS = sizeof field / sizeof *field };
	unsigned words = !strcmp(q->format, "FP64") ? 2 : 1;
	for (unsigned i = 1; i < 3; i++) {
		unsigned k = (unsigned)(n / (i == 1 ? 1 : FIELDS) % FIELDS);
		uint64_t any = exact_any(n, i);
		if (words == 2)
			put_double(r + 2 * i, (any >> 12) | (uint64_t)wide[k] << 52);
		else
			r[i] = ((uint32_t)any & 0x7fffff) | field[k] << 23;
	}
}

/* ---- v_div_fixup, where no operand is special: the result is a, or out of range ---- */

enum { AS_MODE_ROUNDS, NEVER_OVER, TO_INFINITY };

/* MODE rounds to nearest even, or toward zero. */
static void div_fixup(const struct exact_question *q, unsigned answer, const uint32_t *r,
                      uint32_t *d) {
	bool wide = !strcmp(q->format, "FP64"), cut = q->mode & 3 && answer != TO_INFINITY;
	unsigned words = wide ? 2 : 1, top = words - 1, shift = wide ? 20 : 23;
	uint32_t infinity = wide ? 0x7ff00000 : 0x7f800000, b = r[words + top];
	uint32_t c = r[2 * words + top], sign = (b ^ c) & 1u << 31;
	int apart = (int)((c & infinity) >> shift) - (int)((b & infinity) >> shift);
	bool under = apart < (wide ? -1075 : -150);
	bool over = answer != NEVER_OVER && apart > (wide ? 1025 : 129);
	d[0] = under || (over && !cut) ? 0 : over ? ~0u : r[0];
	d[top] = sign | (under ? 0 : over ? infinity - cut : r[top] & 0x7fffffff);
}

static void ask_fixup(const struct exact_question *q, size_t n, uint32_t *r) {
	bool wide = !strcmp(q->format, "FP64");
	for (unsigned i = 0; i < 3; i++) {
		uint64_t any = exact_any(n, i);
		unsigned field = 1 + (unsigned)(exact_any(n, 3 + i) % (wide ? 2046 : 254));
		if (wide)
			put_double(r + 2 * i,
			           (any & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)field << 52);
		else
			r[i] = ((uint32_t)any & 0x807fffff) | field << 23;
	}
}

/* ---- v_trig_preop_f64 ---- */

enum { BITS_OF_SEGMENT = 53, MOST_SHIFT = 1201 };

/* 53 bits of 2 / pi [ISA 12.11]: cut, rounded, or from one bit later. */
static void preop(const struct exact_question *q, unsigned answer, const uint32_t *r, uint32_t *d) {
	int field = (int)(r[1] >> 20 & 0x7ff);
	int shift = (int)(r[2] & 31) * BITS_OF_SEGMENT + (field > 1077 ? field - 1077 : 0);
	int from = shift + (answer == 2);
	mpfr_t x, y;
	(void)q;
	mpfr_inits2(EXACT_PRECISION, x, y, NULL);
	mpfr_const_pi(y, MPFR_RNDZ);
	mpfr_ui_div(x, 2, y, MPFR_RNDZ);
	mpfr_mul_2si(x, x, from, MPFR_RNDN);
	mpfr_frac(x, x, MPFR_RNDZ);
	mpfr_mul_2si(x, x, BITS_OF_SEGMENT, MPFR_RNDN);
	mpfr_rint(x, x, answer == 1 ? MPFR_RNDN : MPFR_RNDZ);
	mpfr_mul_2si(x, x, -BITS_OF_SEGMENT - shift + (field >= 1968 ? 128 : 0), MPFR_RNDN);
	put_exact("FP64", x, d);
	mpfr_clears(x, y, NULL);
}

/* Segments within the bits that the manual defines, of normal results. */
static void ask_preop(const struct exact_question *q, size_t n, uint32_t *r) {
	uint64_t any = exact_any(n, 0);
	unsigned field = 1000 + n * 37 % 700;
	(void)q;
	r[0] = (uint32_t)any;
	r[1] = (uint32_t)(any >> 32 & 0x800fffff) | field << 20;
	unsigned most = MOST_SHIFT - BITS_OF_SEGMENT - 1 - (field > 1077 ? field - 1077 : 0);
	unsigned segments = (most < 900 ? most : 900) / BITS_OF_SEGMENT;
	r[2] = (uint32_t)(exact_any(n, 1) % (segments + 1));
}

/* ---- the questions ---- */

#define ROUNDED                                                                                    \
	{ "correctly rounded", "rounded toward zero" }
#define LAST_BIT(name, which, type)                                                                \
	{                                                                                          \
		.rule = "LAST_BIT", .kernel = name, .answer = ROUNDED, .detail = which,            \
		.format = type, .mode = KEEP_DENORMALS, .ask = ask_function, .lane = function      \
	}
#define HALF_AND_SINGLE(name, which)                                                               \
	LAST_BIT("v_" name "_f16", which, "FP16"), LAST_BIT("v_" name "_f32", which, "FP32")

#define ORDER_C  "C + p0, then + p1"
#define ORDER_P  "p0 + p1, then + C"
#define ORDER_C1 "C + p1, then + p0"
#define SUM      "the exact sum, rounded once"
#define DENORMAL "as assumed, but denormals kept"
#define DOT(name, rotation, first, second, third)                                                  \
	{                                                                                          \
		.rule = "DOT_ORDER", .kernel = name,                                               \
		.answer = { first, second, third, SUM, DENORMAL }, .waves = 16,                    \
		.detail = rotation, .mode = KEEP_DENORMALS, .ask = ask_dot, .lane = dot            \
	}
#define FMAS(name, type, half, whole)                                                              \
	{                                                                                          \
		.rule = "DIVISION", .kernel = name,                                                \
		.answer = { "scaled " whole " up or down by the addend, rounded once",             \
			    "scaled up by " half, "scaled up by " whole,                           \
			    "scaled by the addend, rounded before it too" },                       \
		.waves = 16, .format = type, .mode = KEEP_DENORMALS, .ask = ask_fmas,              \
		.lane = div_fmas                                                                   \
	}
#define SCALE(name, type, numerator)                                                               \
	{                                                                                          \
		.rule = "DIVISION", .kernel = name,                                                \
		.answer = { "as quotients need", "as the manual writes it", "no scaling" },        \
		.waves = 9, .detail = numerator, .format = type, .mode = KEEP_DENORMALS,           \
		.ask = ask_scale, .lane = scale                                                    \
	}

#define FIXUP(name, type, rounding, more)                                                          \
	{                                                                                          \
		.rule = "DIVISION", .kernel = name,                                                \
		.answer = { "overflow by the exponents, as MODE rounds", "no overflow", more },    \
		.waves = 16, .format = type, .mode = KEEP_DENORMALS | (rounding),                  \
		.ask = ask_fixup, .lane = div_fixup                                                \
	}

static const struct exact_question questions[] = {
	HALF_AND_SINGLE("rcp", RCP),
	HALF_AND_SINGLE("sqrt", SQRT),
	HALF_AND_SINGLE("rsq", RSQ),
	HALF_AND_SINGLE("exp", EXP),
	HALF_AND_SINGLE("log", LOG),
	HALF_AND_SINGLE("sin", SIN),
	HALF_AND_SINGLE("cos", COS),
	LAST_BIT("v_rcp_iflag_f32", RCP, "FP32"),
	LAST_BIT("v_exp_legacy_f32", EXP, "FP32"),
	LAST_BIT("v_log_legacy_f32", LOG, "FP32"),
	LAST_BIT("v_rcp_f64", RCP, "FP64"),
	LAST_BIT("v_sqrt_f64", SQRT, "FP64"),
	LAST_BIT("v_rsq_f64", RSQ, "FP64"),
	DOT("v_dot2_f32_f16", IN_ORDER, ORDER_C, ORDER_P, ORDER_C1),
	DOT("v_dot2c_f32_f16", IN_ORDER, ORDER_C, ORDER_P, ORDER_C1),
	DOT("v_dot2_f32_bf16", PRODUCTS_FIRST, ORDER_P, ORDER_C1, ORDER_C),
	DOT("v_dot2c_f32_bf16", IN_ORDER, ORDER_C, ORDER_P, ORDER_C1),
	FMAS("v_div_fmas_f32", "FP32", "2^32", "2^64"),
	FMAS("v_div_fmas_f64", "FP64", "2^64", "2^128"),
	SCALE("v_div_scale_f32_b", "FP32", 0),
	SCALE("v_div_scale_f32_c", "FP32", 1),
	SCALE("v_div_scale_f64_b", "FP64", 0),
	SCALE("v_div_scale_f64_c", "FP64", 1),
	FIXUP("v_div_fixup_f32", "FP32", 0, NULL),
	FIXUP("v_div_fixup_f64", "FP64", 0, NULL),
	FIXUP("v_div_fixup_f32", "FP32", TOWARD_ZERO, "infinity in any MODE"),
	FIXUP("v_div_fixup_f64", "FP64", TOWARD_ZERO, "infinity in any MODE"),
	{ .rule = "TWO_OVER_PI",
	  .kernel = "v_trig_preop_f64",
	  .answer = { "cut after 53 bits", "rounded to 53 bits", "from one bit later" },
	  .waves = 16,
	  .mode = KEEP_DENORMALS,
	  .ask = ask_preop,
	  .lane = preop },
};

const struct exact_questions exact_arithmetic = { questions, sizeof questions / sizeof *questions };
