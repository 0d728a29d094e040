/* Whether operands are in the exact regime.
 *
 * Each row has a unit 2^q, the largest power of two that divides it. The products of rows a and b
 * are then multiples of 2^(qa+qb), their magnitudes sum to at most sum|a| * max|b|, and their
 * exponents are at most ea + eb. Each bound is worst if both factors are worst, so bounds over all
 * rows of A and over all rows of B hold for all pairs. */
#include "inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_UNIT = 10000 }; /* of a row of zeros: larger than every other */

/* Bounds of one row, or the worst of all rows. Doubles are exact while a sum is below 2^53 units; a
 * larger sum fails the test for 2^24 in any case. */
struct bounds {
	int unit;                  /* least exponent q */
	int span;                  /* largest exponent less q */
	double sum, max;           /* of magnitudes */
	double unit_sum, unit_max; /* of magnitudes / 2^q */
	bool special;              /* NaN or infinity */
	bool any;                  /* an element is not zero */
};

static int larger(int x, int y) {
	return x > y ? x : y;
}

/* The exponent in a datapath: a subnormal has that of the smallest normal. */
static int exponent(const struct exact_format *f, uint64_t sig) {
	return larger(63 - __builtin_clzll(sig), f->man_bits);
}

static struct bounds row_bounds(const struct exact_rows *r, size_t index) {
	struct exact_row row = exact_row_at(r, index);
	struct bounds w = { .unit = NO_UNIT };
	int top = -NO_UNIT;
	for (size_t k = 0; k < r->blocks * EXACT_BLOCK; k++) {
		int exp = row.block[k / EXACT_BLOCK].exp;
		uint64_t sig = llabs(row.sig[k]);
		w.special |= row.flags[k] & (EXACT_INF | EXACT_NAN);
		if (!sig)
			continue;
		int unit = exp + __builtin_ctzll(sig);
		double x = ldexp(sig, exp);
		w.any = true;
		w.unit = unit < w.unit ? unit : w.unit;
		top = larger(top, exp + exponent(r->format, sig));
		w.sum += x;
		w.max = fmax(w.max, x);
	}
	if (!w.any)
		return w;
	w.span = top - w.unit;
	w.unit_sum = ldexp(w.sum, -w.unit);
	w.unit_max = ldexp(w.max, -w.unit);
	return w;
}

/* The worst bounds of all rows of an operand, decoded one at a time. */
static enum exact_status worst_of(const struct exact_operand *o, size_t rows, size_t k,
                                  struct bounds *all) {
	*all = (struct bounds){ .unit = NO_UNIT };
	for (size_t i = 0; i < rows; i++) {
		struct exact_operand row = *o;
		struct exact_rows r;
		row.codes += i * o->ld;
		row.scales += i * o->ld_scales;
		enum exact_status status = exact_rows_decode(&r, &row, 1, k, 1);
		struct bounds w = { .unit = NO_UNIT };
		if (!status)
			w = row_bounds(&r, 0);
		exact_rows_free(&r);
		if (status)
			return status;
		all->special |= w.special;
		all->any |= w.any;
		all->unit = w.unit < all->unit ? w.unit : all->unit;
		all->span = larger(all->span, w.span);
		all->sum = fmax(all->sum, w.sum);
		all->max = fmax(all->max, w.max);
		all->unit_sum = fmax(all->unit_sum, w.unit_sum);
		all->unit_max = fmax(all->unit_max, w.unit_max);
	}
	return EXACT_OK;
}

/* The conditions, in the order of exact.h. */
static bool judge(const struct bounds *a, const struct bounds *b, char *why, size_t size) {
	bool special = a->special || b->special, any = a->any && b->any;
	int q = a->unit + b->unit, span = a->span + b->span;
	double units = fmin(a->unit_sum * b->unit_max, a->unit_max * b->unit_sum);
	double sum = fmin(a->sum * b->max, a->max * b->sum);

	if (special)
		snprintf(why, size, "%s has a NaN or an infinity", a->special ? "A" : "B");
	else if (any && q < -149)
		snprintf(why, size, "products have bits down to 2^%d, below 2^-149", q);
	else if (any && units >= 0x1p24)
		snprintf(why, size, "magnitudes may sum to %.0f units, 2^24 or more", units);
	else if (any && sum >= 0x1p128)
		snprintf(why, size, "magnitudes may sum to 2^%.2f, 2^128 or more", log2(sum));
	else if (any && span > 24)
		snprintf(why, size, "a product's exponent may be %d above its unit, more than 24",
		         span);
	else
		return true;
	return false;
}

/* An operand without rows still has a format and a shape. */
static enum exact_status check_shape(const struct exact_operand *o, size_t rows, size_t k) {
	struct exact_rows none;
	enum exact_status status = exact_rows_decode(&none, o, 0, k, 1);
	exact_rows_free(&none);
	return status ? status : rows && k > SIZE_MAX / 16 / rows ? EXACT_BAD_SHAPE : EXACT_OK;
}

enum exact_status exact_regime_of(const struct exact_gemm *g, struct exact_regime_facts *facts,
                                  char *why, size_t why_size) {
	struct bounds a, b;
	char nowhere[1];
	*facts = (struct exact_regime_facts){ false, 0 };
	if (!why || !why_size)
		why = nowhere, why_size = sizeof nowhere;
	*why = '\0';
	enum exact_status status = check_shape(&g->a, g->m, g->k);
	if (!status)
		status = check_shape(&g->b, g->n, g->k);
	if (!status)
		status = worst_of(&g->a, g->m, g->k, &a);
	if (!status)
		status = worst_of(&g->b, g->n, g->k, &b);
	if (!status) {
		facts->holds = judge(&a, &b, why, why_size);
		facts->unit = a.unit + b.unit;
	}
	return status;
}

enum exact_status exact_regime(const struct exact_gemm *g, bool *holds, char *why,
                               size_t why_size) {
	struct exact_regime_facts facts;
	enum exact_status status = exact_regime_of(g, &facts, why, why_size);
	*holds = facts.holds;
	return status;
}
