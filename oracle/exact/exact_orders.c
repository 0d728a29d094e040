/* The values that atomic additions can leave, over all orders.
 *
 * Dynamic programming over subsets: the values of a subset are the values without one of its parts,
 * plus that part. Equal values are kept once, so only the different results of the n! orders
 * remain.
 *
 * The sum of two f32 rounded to f32 and then to 16 bits is the sum rounded once: f32 has 24 bits,
 * which is at least 2 * 11 + 2, and a subnormal result is exact in f32 [Figueroa, "When is double
 * rounding innocuous?", 1995]. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of the subsets, one subset after the other, as f32 patterns, which contain the value
 * of every code; NaN is 0x7fc00000. The complete set comes last. */
struct values {
	uint32_t *v;
	size_t n, room;
	size_t first[(1u << EXACT_MAX_PARTS) +
	             1]; /* of each subset; that of the next one ends it */
};

/* The loop has no exit, so that it is vectorised. */
static bool contains(const uint32_t *v, size_t n, uint32_t x) {
	bool found = false;
	for (size_t i = 0; i < n; i++)
		found |= v[i] == x;
	return found;
}

/* Adds a value to the last subset. */
static bool keep(struct values *s, size_t first, float x) {
	uint32_t bits = exact_bits(x);
	if (contains(s->v + first, s->n - first, bits))
		return true;
	if (s->n == s->room) {
		size_t room = 2 * s->room + 256;
		uint32_t *v = realloc(s->v, room * sizeof *v);
		if (!v)
			return false;
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = bits;
	return true;
}

/* ---- one addition ---- */

struct adder {
	const char *format;
	enum exact_rounding rounding;
	bool f32, bf16;
};

/* a + b rounded toward zero to f32; TwoSum gives the error of the f64 sum. */
static float cut_sum(double a, double b) {
	double s = a + b, part = s - a, lost = (a - (s - part)) + (b - part);
	float f = (float)s;
	if (!isfinite(s))
		return f;
	bool beyond = fabs((double)f) > fabs(s) || ((double)f == s && lost * s < 0);
	return beyond ? nextafterf(f, 0) : f;
}

static float decode(const struct adder *a, uint32_t code) {
	uint32_t f32 = a->bf16 ? code << 16 : code;
	if (!a->f32 && !a->bf16)
		exact_decode(a->format, code, &f32);
	return isnan(exact_float(f32)) ? exact_float(0x7fc00000) : exact_float(f32);
}

static float add(const struct adder *a, float x, float y) {
	bool cut = a->rounding == EXACT_RTZ;
	float s = cut ? cut_sum((double)x, (double)y) : x + y;
	uint32_t code = 0;
	if (isnan(s))
		return exact_float(0x7fc00000);
	if (a->f32)
		return s;
	if (a->bf16)
		return exact_float(cut ? exact_bits(s) & 0xffff0000u
		                       : (uint32_t)exact_bf16(exact_bits(s)) << 16);
	exact_encode(a->format, exact_bits(s), 0, a->rounding, EXACT_OVERFLOW, 0, &code);
	return decode(a, code);
}

/* ---- all orders ---- */

static bool reach(struct values *s, unsigned subset, const struct adder *a, const float *parts) {
	size_t first = s->first[subset] = s->n;
	for (unsigned left = subset; left; left &= left - 1) {
		unsigned part = (unsigned)__builtin_ctz(left), before = subset & ~(1u << part);
		for (size_t i = s->first[before]; i < s->first[before + 1]; i++)
			if (!keep(s, first, add(a, exact_float(s->v[i]), parts[part])))
				return false;
	}
	s->first[subset + 1] = s->n;
	return true;
}

enum exact_status exact_orders(const char *format, enum exact_rounding r, uint32_t start,
                               const uint32_t *parts, unsigned n, uint32_t got,
                               struct exact_set *set) {
	struct adder a = { format, r, !strcmp(format, "FP32"), !strcmp(format, "BF16") };
	float part[EXACT_MAX_PARTS], wanted = decode(&a, got);
	uint32_t code;
	*set = (struct exact_set){ false, 0 };
	if (n > EXACT_MAX_PARTS)
		return EXACT_BAD_SHAPE;
	if (exact_encode(format, 0, 0, EXACT_RNE, EXACT_OVERFLOW, 0, &code))
		return EXACT_BAD_FORMAT;
	struct values all = { .v = NULL };
	for (unsigned i = 0; i < n; i++)
		part[i] = decode(&a, parts[i]);
	unsigned last = (1u << n) - 1;
	bool good = keep(&all, 0, decode(&a, start));
	all.first[1] = all.n;
	for (unsigned subset = 1; good && subset <= last; subset++)
		good = reach(&all, subset, &a, part);
	if (good) {
		set->values = all.n - all.first[last];
		set->has = contains(all.v + all.first[last], set->values, exact_bits(wanted));
	}
	free(all.v);
	return good ? EXACT_OK : EXACT_NO_MEMORY;
}
