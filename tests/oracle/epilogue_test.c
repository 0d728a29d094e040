/* Epilogues and narrowing: the steps against the host's IEEE 754 arithmetic, single roundings
 * against MPFR, f16 against a search of its codes. */
#include "../../oracle/exact/exact.h"
#include "../tap.h"

#include <fenv.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

enum { N = 16, ROUNDS = 4000 };
#define NAN_BITS 0x7fc00000u

static uint64_t state = 7;
static uint32_t next(void) {
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

static float f(uint32_t bits) {
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static uint32_t u(float x) {
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return isnan(x) ? NAN_BITS : bits;
}

/* Near 1, near the ends, or special. */
static uint32_t number(void) {
	static const uint32_t ends[] = { 0,          0x80000000, 1,          0x80000001,
		                         0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000,
		                         0xbf800000, 0x7f7fffff, 0x00800000, 0xff7fffff };
	switch (next() % 8) {
	case 0: return ends[next() % (sizeof ends / sizeof *ends)];
	case 1: return next();
	case 2: return (next() & 0x80ffffff) | 0x1f000000;
	case 3: return (next() & 0x81800000) | 0x3f000000;
	default: return (next() & 0x81ffffff) | 0x3f000000;
	}
}

/* ---- steps ---- */

static uint32_t steps(const struct exact_epilogue *e, uint32_t acc, const uint32_t *c,
                      const uint32_t *bias) {
	volatile float x = f(e->alpha) * f(acc), y = c ? f(e->beta) * f(*c) : 0;
	float z = x;
	if (c && e->order == EXACT_MUL_ADD)
		z = x + y;
	if (c && e->order == EXACT_FMA_BETA)
		z = fmaf(f(e->beta), f(*c), x);
	if (c && e->order == EXACT_FMA_ALPHA)
		z = fmaf(f(e->alpha), f(acc), y);
	return u(bias ? z + f(*bias) : z);
}

/* The exact sum by MPFR, rounded to a format with `digits` digits and exponents from emin. */
static uint32_t once(const struct exact_epilogue *e, uint32_t acc, const uint32_t *c,
                     const uint32_t *bias) {
	static const struct {
		int digits, emin, emax;
	} formats[] = { { 24, -148, 128 }, { 8, -132, 128 }, { 11, -23, 16 } };
	mpfr_t x, y, z;
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_inits2(1200, x, y, NULL);
	mpfr_init2(z, formats[e->output].digits);
	mpfr_set_flt(x, f(e->alpha), MPFR_RNDN);
	mpfr_mul_d(x, x, (double)f(acc), MPFR_RNDN);
	if (c) {
		mpfr_set_flt(y, f(e->beta), MPFR_RNDN);
		mpfr_mul_d(y, y, (double)f(*c), MPFR_RNDN);
		mpfr_add(x, x, y, MPFR_RNDN);
	}
	if (bias)
		mpfr_add_d(x, x, (double)f(*bias), MPFR_RNDN);
	int t = mpfr_set(z, x, MPFR_RNDN);
	mpfr_set_emin(formats[e->output].emin);
	mpfr_set_emax(formats[e->output].emax);
	t = mpfr_check_range(z, t, MPFR_RNDN);
	mpfr_subnormalize(z, t, MPFR_RNDN);
	float r = mpfr_get_flt(z, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_clears(x, y, z, NULL);
	return exact_narrow(u(r), e->output); /* exact */
}

static bool same(const struct exact_epilogue *e, const uint32_t *acc) {
	uint32_t out[N * N];
	exact_epilogue(e, N, N, acc, out);
	for (size_t i = 0; i < N * N; i++) {
		bool reads = e->c && (e->c_of_zero || f(e->beta) != 0);
		const uint32_t *c = reads ? &e->c[i / N * e->ld_c + i % N] : NULL;
		const uint32_t *bias = e->bias ? &e->bias[e->bias_of_rows ? i / N : i % N] : NULL;
		uint32_t want = e->order == EXACT_ONCE
		                        ? once(e, acc[i], c, bias)
		                        : exact_narrow(steps(e, acc[i], c, bias), e->output);
		if (out[i] == want)
			continue;
		diag("order %d, output %d: alpha %08x acc %08x beta %08x c %08x bias %08x",
		     (int)e->order, (int)e->output, e->alpha, acc[i], e->beta, c ? *c : 0,
		     bias ? *bias : 0);
		diag("is 0x%08x, must be 0x%08x", out[i], want);
		return false;
	}
	return true;
}

static void random_ones(enum exact_order order, const char *name) {
	static uint32_t acc[N * N], c[N * (N + 3)], bias[N];
	unsigned right = 0, rounds = order == EXACT_ONCE ? ROUNDS / 40 : ROUNDS / 10;
	for (unsigned r = 0; r < rounds; r++) {
		for (size_t i = 0; i < N * N; i++)
			acc[i] = number();
		for (size_t i = 0; i < N * (N + 3); i++)
			c[i] = number();
		for (size_t i = 0; i < N; i++)
			bias[i] = number();
		struct exact_epilogue e = { .order = order, .alpha = number(), .beta = number() };
		e.output = (enum exact_output)(next() % 3);
		e.c = next() % 4 ? c : NULL, e.ld_c = N + 3, e.c_of_zero = next() % 2;
		e.bias = next() % 4 ? bias : NULL, e.bias_of_rows = next() % 2;
		right += same(&e, acc);
	}
	ok(right == rounds, "%s: every bit, in f32, bf16 and f16", name);
}

/* ---- by hand ---- */

static uint32_t one(struct exact_epilogue e, uint32_t acc) {
	uint32_t d;
	exact_epilogue(&e, 1, 1, &acc, &d);
	return d;
}

enum { ONE = 0x3f800000, INF = 0x7f800000 };
#define MINUS_0   0x80000000u
#define MINUS_ONE 0xbf800000u

static void rules(void) {
	uint32_t nan = 0x7f800001, zero = 0, minus_0 = MINUS_0, inf = INF, minus_1 = MINUS_ONE;
	struct exact_epilogue e = { .alpha = ONE, .beta = 0, .c = &nan, .ld_c = 1 };
	ok(one(e, ONE) == ONE, "a NaN in C is not read if beta is 0");
	e.beta = MINUS_0;
	ok(one(e, ONE) == ONE, "nor if it is -0");
	e.c_of_zero = true;
	ok(one(e, ONE) == NAN_BITS, "but a kernel that always reads C gets it");
	e.c = &inf;
	ok(one(e, ONE) == NAN_BITS, "0 times an infinity in C is NaN then");
	e = (struct exact_epilogue){ .alpha = ONE };
	ok(one(e, MINUS_0) == MINUS_0, "-0 stays without C and bias");
	e.bias = &zero;
	ok(one(e, MINUS_0) == 0, "-0 and a bias of 0 are +0");
	e.bias = &minus_0;
	ok(one(e, MINUS_0) == MINUS_0, "-0 and a bias of -0 are -0");
	e.bias = &minus_1;
	ok(one(e, ONE) == 0, "1 and a bias of -1 are +0");
	e = (struct exact_epilogue){ .alpha = 0 };
	ok(one(e, INF) == NAN_BITS, "alpha 0 does not hide an infinity");
	ok(one(e, MINUS_ONE) == MINUS_0, "0 times -1 is -0");
	e = (struct exact_epilogue){ .alpha = 0x7f7fffff, .output = EXACT_F16 };
	ok(one(e, 0x40000000) == 0x7c00, "an overflow is an f16 infinity");
}

/* (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24; the product alone is a tie and goes to 1 + 2^-11. */
static void orders(void) {
	uint32_t x = 0x3f800800, c = 0xbf801000;
	struct exact_epilogue e = { .alpha = x, .beta = ONE, .c = &c, .ld_c = 1 };
	ok(one(e, x) == 0, "a product rounded before the sum loses 2^-24");
	e.order = EXACT_FMA_BETA;
	ok(one(e, x) == 0, "so does the product outside the fma");
	e.order = EXACT_FMA_ALPHA;
	ok(one(e, x) == 0x33800000, "the product of the fma keeps it");
	uint32_t bias = 0x33000000; /* 2^-25: the third addend of a sum of three */
	e.bias = &bias, e.order = EXACT_ONCE;
	ok(one(e, x) == 0x33c00000, "2^-24 + 2^-25 in one sum");
}

/* 1 + 2^-8 + 2^-24, above a tie of bf16: f32 drops the last, and then it is one. */
static void twice(void) {
	uint32_t bias = 0x33800000;
	struct exact_epilogue e = { .alpha = ONE, .bias = &bias, .output = EXACT_BF16 };
	ok(one(e, 0x3f808000) == 0x3f80, "f32 and then bf16 goes down");
	e.order = EXACT_ONCE;
	ok(one(e, 0x3f808000) == 0x3f81, "bf16 at once goes up");
	bias = 0xb3800000;
	ok(one(e, 0x3f818000) == 0x3f81, "and just below a tie down");
}

/* ---- f16 ---- */

static void f16(void) {
	uint32_t bad = 0, got = 0, code = 0;
	static const uint32_t lows[] = { 0, 1, 0x0fff, 0x1000, 0x1001, 0x1fff };
	for (uint32_t i = 0; i < (1u << 19) && !bad; i++)
		for (size_t l = 0; l < 6 && !bad; l++) {
			uint32_t x = i << 13 | lows[l];
			exact_encode("FP16", x, 0, EXACT_RNE, EXACT_OVERFLOW, 0, &code);
			got = exact_f16(x);
			bad = got == code ? 0 : x;
			i += l == 5 && next() % 16 ? 7 : 0; /* an eighth of them is enough */
		}
	if (!ok(!bad, "f16 of patterns at and around ties is the code found by the search"))
		diag("0x%08x: 0x%04x, must be 0x%04x", bad, got, code);
	ok(exact_f16(0x33000000) == 0 && exact_f16(0x33000001) == 1 && exact_f16(0x33c00000) == 2 &&
	           exact_f16(0x387fffff) == 0x400 && exact_f16(0x477fefff) == 0x7bff &&
	           exact_f16(0x477ff000) == 0x7c00 && exact_f16(0xff800001) == 0xfe00 &&
	           exact_f16(0x80000000) == 0x8000,
	   "f16: half the smallest, more than it, 1.5 of it, the least normal, the largest, "
	   "overflow, a quieted NaN, -0");
}

/* ---- the exact regime ---- */

/* n 2^e with up to `digits` digits. */
static uint32_t integer(unsigned digits, int spread) {
	int n = (int)(next() % (2u << digits)) - (1 << digits);
	return u(ldexpf((float)n, (int)(next() % (unsigned)spread)));
}

/* Every order of the steps, with the two orders of the three terms that no judge uses. */
static bool orders_agree(struct exact_epilogue e, uint32_t acc) {
	volatile float x = f(e.alpha) * f(acc), y = f(e.beta) * f(*e.c), b = f(*e.bias);
	volatile float yb = y + b, xb = x + b;
	uint32_t want = one(e, acc);
	bool same = u(x + yb) == want && u(xb + y) == want;
	for (e.order = EXACT_MUL_ADD; e.order <= EXACT_ONCE; e.order++)
		same &= one(e, acc) == want;
	return same;
}

static void regime(void) {
	unsigned held = 0, wrong = 0, differ = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t c = integer(8, 14), bias = integer(10, 14), acc = integer(16, 12);
		struct exact_epilogue e = { .alpha = integer(4, 3), .beta = integer(4, 3) };
		char why[256] = "";
		e.c = &c, e.ld_c = 1, e.bias = &bias, e.c_of_zero = true;
		bool holds = exact_epilogue_regime(&e, 1, 1, &acc, why, sizeof why);
		held += holds;
		differ += !orders_agree(e, acc);
		wrong += (holds && !orders_agree(e, acc)) || holds == (*why != 0);
	}
	if (!ok(!wrong && held > ROUNDS / 4 && differ > ROUNDS / 100,
	        "in the exact regime every order of the steps gives the same"))
		diag("%u of %u held, %u differ, %u of them wrongly", held, ROUNDS, differ, wrong);
}

static bool holds(float alpha, float acc, float beta, float c, float bias, const char *want) {
	uint32_t a = u(acc), x = u(c), y = u(bias);
	struct exact_epilogue e = { .alpha = u(alpha), .beta = u(beta), .c = &x, .ld_c = 1 };
	char why[256] = "";
	e.bias = &y;
	bool good = exact_epilogue_regime(&e, 1, 1, &a, why, sizeof why);
	bool said = want ? !good && strstr(why, want) : good;
	if (!said)
		diag("%s", good ? "it holds" : why);
	return said;
}

static void regime_ends(void) {
	ok(holds(1, 0x1p24f - 2, 1, 0, 1, NULL) && holds(1, 0x1p24f - 2, 1, 1, -1, "2^24 or more"),
	   "magnitudes of 2^24 - 1 units are exact, of 2^24 not");
	ok(holds(1.1f, 3, 0, 0, 0, "2^24 or more") && holds(1.1f, 1, 0, 0, 0, NULL),
	   "1.1 of 24 digits times 3 is not, times 1 it is");
	ok(holds(0x1p-100f, 0x1p-49f, 1, 0, 0, NULL) &&
	           holds(0x1p-100f, 0x1p-50f, 1, 0, 0, "down to 2^-150"),
	   "2^-149 is the smallest unit");
	ok(holds(1, 0x1p126f, 1, 0x1p126f, 0x1p126f, NULL) &&
	           holds(2, 0x1p126f, 1, 0x1p127f, 0, "2^128 or more"),
	   "sums end below 2^128");
	ok(holds(1, NAN, 1, 0, 0, "NaN") && holds(1, 1, 1, INFINITY, 0, "infinity") &&
	           holds(1, 1, 0, NAN, 0, NULL),
	   "NaN and infinities are not exact, except in a C that is not read");
	ok(holds(-1, 0, 1, 0, -0.0f, NULL), "zeros are");
}

/* ---- the bound ---- */

static const char *const formats[] = { "FP32", "BF16", "FP16" };

static bool inside(const struct exact_epilogue *e, const struct exact_range *r, uint32_t f32) {
	return exact_range_has(r, formats[e->output], exact_narrow(f32, e->output));
}

/* The steps of each order, in the rounding mode of the host. An overflow must be an infinity, which
 * truncation does not give. */
static bool steps_inside(struct exact_epilogue e, const struct exact_range *r, uint32_t acc) {
	static const int ways[] = { FE_TONEAREST, FE_TOWARDZERO };
	bool all = true, over = r->may != EXACT_MAY_FINITE;
	for (unsigned w = 0; w < (over ? 1 : 2); w++)
		for (e.order = EXACT_MUL_ADD; e.order < EXACT_ONCE; e.order++) {
			fesetround(ways[w]);
			uint32_t d =
				steps(&e, acc, e.c && (e.c_of_zero || f(e.beta) != 0) ? e.c : NULL,
			              e.bias);
			fesetround(FE_TONEAREST);
			all &= inside(&e, r, d);
		}
	e.order = EXACT_ONCE;
	return all && exact_range_has(r, formats[e.output], one(e, acc));
}

/* An accumulator somewhere within its range. */
static uint32_t accumulator(const struct exact_range *r) {
	double part = (double)next() / 0x1p31 - 1;
	float x = (float)(r->sum + part * r->bound);
	return u(fabs((double)x - r->sum) <= r->bound ? x : (float)r->sum);
}

static void bound(void) {
	unsigned wrong = 0, wide = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t c = number(), bias = number();
		struct exact_epilogue e = { .output = (enum exact_output)(next() % 3) };
		do
			e.alpha = number(), e.beta = number();
		while (!isfinite(f(e.alpha)) || !isfinite(f(e.beta)));
		e.c = next() % 4 ? &c : NULL, e.ld_c = 1, e.c_of_zero = next() % 2;
		e.bias = next() % 4 ? &bias : NULL;
		float sum = f((next() & 0x83ffffff) | 0x3e000000);
		struct exact_range acc = { (double)sum, (double)fabsf(sum) * 0x1p-18,
			                   EXACT_MAY_FINITE },
				   r = acc;
		exact_bound_epilogue(&e, 1, 1, &r);
		uint32_t from = accumulator(&acc);
		if (!steps_inside(e, &r, from) && !wrong++)
			diag("output %d: alpha %a acc %a beta %a c %a bias %a: %a within %a, may "
			     "%x",
			     (int)e.output, (double)f(e.alpha), (double)f(from), (double)f(e.beta),
			     e.c ? (double)f(c) : 0, e.bias ? (double)f(bias) : 0, r.sum, r.bound,
			     r.may);
		double terms = fabs((double)f(e.alpha) * acc.sum);
		terms += e.c ? fabs((double)f(e.beta) * (double)f(c)) : 0;
		terms += e.bias ? fabs((double)f(bias)) : 0;
		wide += isfinite(terms) && r.bound > terms * 0x1p-17 + 0x1p-146;
	}
	ok(!wrong, "every order of the steps, rounded or truncated, is within the bound");
	ok(!wide, "which is at most 2^-17 of the terms if the accumulator's is 2^-18");
}

static unsigned may(unsigned acc, float alpha, float c, float bias) {
	uint32_t x = u(c), y = u(bias);
	struct exact_epilogue e = { .alpha = u(alpha), .beta = ONE, .c = &x, .ld_c = 1 };
	struct exact_range r = { 1, 0x1p-20, acc };
	e.bias = &y;
	exact_bound_epilogue(&e, 1, 1, &r);
	return r.may;
}

static void bound_specials(void) {
	enum { FINITE = EXACT_MAY_FINITE, PLUS = EXACT_MAY_PLUS_INF, MINUS = EXACT_MAY_MINUS_INF };
	enum { NOT = EXACT_MAY_NAN };
	ok(may(FINITE, 2, 3, 4) == FINITE, "numbers give a number");
	ok(may(FINITE | PLUS, -1, 0, 0) == (FINITE | MINUS),
	   "a negative alpha changes the sign of infinities");
	ok(may(FINITE | PLUS, 0, 0, 0) == (FINITE | NOT), "0 times one is NaN");
	ok(may(PLUS, 1, -INFINITY, 0) == NOT, "so is its sum with the other");
	ok(may(FINITE | PLUS, 1, -INFINITY, 0) == (MINUS | NOT),
	   "or the other infinity, if the first need not occur");
	ok(may(FINITE, 1, 0, NAN) == NOT, "a NaN of the bias stays");
	ok(may(FINITE, 1, 3e38f, 3e38f) == PLUS, "an overflow is an infinity");
	ok(may(FINITE, 1, 3e38f, -3e38f) == FINITE, "two terms that cancel are a number");
	ok(may(FINITE, 3.4e38f, 3.4e38f, -3.4e38f) & PLUS, "unless a third term is added first");
}

int main(void) {
	random_ones(EXACT_MUL_ADD, "products, then sums");
	random_ones(EXACT_FMA_BETA, "fma of beta and C");
	random_ones(EXACT_FMA_ALPHA, "fma of alpha and the accumulator");
	random_ones(EXACT_ONCE, "one sum");
	rules();
	orders();
	twice();
	f16();
	regime();
	regime_ends();
	bound();
	bound_specials();
	mpfr_free_cache();
	return done_testing();
}
