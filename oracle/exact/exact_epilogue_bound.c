/* A bound on the distance of an epilogue's result from the exact value, in any order of its steps.
 *
 * The family. An accumulator lies within `bound` of `sum` (exact_bound.c). The terms of the
 * epilogue (alpha acc, beta C, bias) are added in any order, and any multiplication may be fused
 * with an addition. So there are at most 4 results in f32, each rounded to nearest or cut toward
 * zero; a result that overflows is an infinity. The output's rounding follows.
 *
 * With s and d the accumulator's sum and bound, the exact value is D = alpha s + beta C + bias, and
 * T = |alpha| (|s| + d) + |beta C| + |bias| bounds the magnitude of every exact partial sum. The
 * accumulator moves D by at most |alpha| d. The error of a result in f32 is at most 2^-23 of its
 * magnitude, or 2^-149 if it is subnormal. This error is added to later terms, never multiplied. So
 * before the k-th rounding the magnitude is at most (T + 3 2^-149) (1 + 2^-23)^3 < (T + 3 2^-149)
 * (1 + 2^-21), and all four roundings lose at most
 *
 *     4 (1 + 2^-20) (2^-23 T + 2^-149).
 *
 * The order that rounds once, to the output, loses nothing before that. The range's ends are
 * rounded to f32 first: they lie 4 2^-23 T outside, which is more than the step of f32 that this
 * costs. If T is 0, every term is a zero, and signs are those of IEEE 754 in f64 and f32 alike.
 *
 * Infinities. A sum becomes infinite if the terms of its sign add up to FLT_MAX or a term is
 * infinite. If both signs may be infinite, the sum may be NaN. */
#include "inside.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUND 0x1p-50 /* more than the rounding errors of the few f64 operations of this file */

enum { FINITE = EXACT_MAY_FINITE, PLUS = EXACT_MAY_PLUS_INF, MINUS = EXACT_MAY_MINUS_INF };
enum { IS_NAN = EXACT_MAY_NAN };

static double value(uint32_t f32) {
	float f;
	memcpy(&f, &f32, sizeof f);
	return (double)f;
}

static unsigned class_of(double x) {
	return isnan(x) ? IS_NAN : !isinf(x) ? FINITE : x > 0 ? PLUS : MINUS;
}

/* The possible kinds of value of `may` times a factor. */
static unsigned scaled(unsigned may, double by) {
	unsigned infinite = may & (PLUS | MINUS), r = may & (FINITE | IS_NAN);
	if (!isfinite(by))
		return FINITE | PLUS | MINUS | IS_NAN;
	if (by == 0)
		return infinite ? r | IS_NAN : r;
	if (by > 0)
		return may;
	return r | (infinite & PLUS ? MINUS : 0) | (infinite & MINUS ? PLUS : 0);
}

struct sum {
	double value, radius, plus, minus; /* plus, minus: sums of the terms of a sign */
	unsigned any, all; /* any: kinds that some term may have; `all` has FINITE if every term may
	                      be finite */
	unsigned surely;   /* kinds that some term must have */
};

static void add(struct sum *s, double value, double radius, unsigned may) {
	bool counts = may & FINITE;
	double v = counts ? value : 0, r = counts ? radius : 0;
	s->value += v;
	s->radius += r;
	s->plus += fmax(v + r, 0);
	s->minus += fmax(r - v, 0);
	s->any |= may;
	s->all &= may;
	s->surely |= may & (may - 1) ? 0 : may;
}

static unsigned may_be(const struct sum *s, double bound) {
	bool plus = s->any & PLUS || s->plus + bound >= FLT_MAX;
	bool minus = s->any & MINUS || s->minus + bound >= FLT_MAX;
	unsigned may = s->any & IS_NAN || (plus && minus) ? IS_NAN : 0;
	if (s->surely & IS_NAN)
		return IS_NAN;
	if (s->all & FINITE && fabs(s->value) - bound <= FLT_MAX)
		may |= FINITE;
	if (plus && !(s->surely & MINUS))
		may |= PLUS;
	if (minus && !(s->surely & PLUS))
		may |= MINUS;
	return may;
}

static struct exact_range element(const struct exact_epilogue *e, const struct exact_range *acc,
                                  const uint32_t *c, const uint32_t *bias) {
	double alpha = value(e->alpha), beta = value(e->beta);
	struct sum s = { .value = -0.0, .all = FINITE };
	add(&s, alpha * acc->sum, fabs(alpha) * acc->bound, scaled(acc->may, alpha));
	if (c)
		add(&s, beta * value(*c), 0, scaled(class_of(value(*c)), beta));
	if (bias)
		add(&s, value(*bias), 0, class_of(value(*bias)));
	double t = s.plus + s.minus; /* T, or more because of radii */
	double steps = t > 0 ? 4 * (1 + 0x1p-20) * (0x1p-23 * t + 0x1p-149) : 0;
	struct exact_range r = { s.value, (s.radius + steps) * (1 + ROUND) + t * ROUND, 0 };
	r.may = may_be(&s, r.bound);
	return r;
}

void exact_bound_epilogue(const struct exact_epilogue *e, size_t m, size_t n,
                          struct exact_range *range) {
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++) {
			struct exact_range *r = &range[i * n + j];
			*r = element(e, r, exact_epilogue_c(e, i, j), exact_epilogue_bias(e, i, j));
		}
}
