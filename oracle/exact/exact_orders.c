/* Which values atomic additions can leave, over every order of them.
 *
 * By dynamic programming over subsets: what a subset can leave is what it can leave without one
 * of its parts, plus that part. Equal values are kept once, so that of the n! orders only the
 * different results remain.
 *
 * The sum of two f32 rounded to f32 and then to 16 bits is the sum rounded once: f32 has 24 bits,
 * 2 * 11 + 2 and more, and a subnormal result is exact in it [Figueroa, "When is double rounding
 * innocuous?", 1995]. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct values {
	uint32_t *v;
	size_t n, room;
};

static bool keep(struct values *s, uint32_t x) {
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i] == x)
			return true;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 8;
		uint32_t *v = realloc(s->v, room * sizeof *v);
		if (!v)
			return false;
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = x;
	return true;
}

/* ---- one addition ---- */

/* The f32 toward zero from a + b; TwoSum gives what the f64 sum lost. */
static float cut_sum(double a, double b) {
	double s = a + b, part = s - a, lost = (a - (s - part)) + (b - part);
	float f = (float)s;
	if (!isfinite(s))
		return f;
	bool beyond = fabs((double)f) > fabs(s) || ((double)f == s && lost * s < 0);
	return beyond ? nextafterf(f, 0) : f;
}

static uint32_t add(const char *format, enum exact_rounding r, uint32_t x, uint32_t y) {
	uint32_t fx, fy, sum, code = 0;
	float a, b;
	exact_decode(format, x, &fx);
	exact_decode(format, y, &fy);
	memcpy(&a, &fx, sizeof a);
	memcpy(&b, &fy, sizeof b);
	float s = r == EXACT_RTZ ? cut_sum((double)a, (double)b) : a + b;
	memcpy(&sum, &s, sizeof sum);
	if (isnan(s))
		sum = 0x7fc00000;
	exact_encode(format, sum, 0, r, EXACT_OVERFLOW, 0, &code);
	return code;
}

/* ---- all orders ---- */

static bool reach(struct values *of, unsigned subset, const char *format, enum exact_rounding r,
                  const uint32_t *parts) {
	for (unsigned left = subset; left; left &= left - 1) {
		unsigned part = (unsigned)__builtin_ctz(left);
		const struct values *before = &of[subset & ~(1u << part)];
		for (size_t i = 0; i < before->n; i++)
			if (!keep(&of[subset], add(format, r, before->v[i], parts[part])))
				return false;
	}
	return true;
}

enum exact_status exact_orders(const char *format, enum exact_rounding r, uint32_t start,
                               const uint32_t *parts, unsigned n, uint32_t got,
                               struct exact_set *set) {
	struct values *of = calloc((size_t)1 << (n <= EXACT_MAX_PARTS ? n : 0), sizeof *of);
	uint32_t code;
	bool good = of && n <= EXACT_MAX_PARTS && keep(&of[0], start);
	*set = (struct exact_set){ false, 0 };
	if (exact_encode(format, 0, 0, EXACT_RNE, EXACT_OVERFLOW, 0, &code))
		good = false;
	for (unsigned subset = 1; good && subset < 1u << n; subset++)
		good = reach(of, subset, format, r, parts);
	for (size_t i = 0; good && i < of[(1u << n) - 1].n; i++)
		set->has |= of[(1u << n) - 1].v[i] == got;
	set->values = good ? of[(1u << n) - 1].n : 0;
	for (unsigned subset = 0; of && n <= EXACT_MAX_PARTS && subset < 1u << n; subset++)
		free(of[subset].v);
	free(of);
	return good ? EXACT_OK : n > EXACT_MAX_PARTS ? EXACT_BAD_SHAPE : EXACT_NO_MEMORY;
}
