/* Whether operands are in the exact regime.
 *
 * Each row has a unit 2^q, the largest power of two that divides it. The products of rows a and b
 * are then multiples of 2^(qa+qb), their magnitudes sum to at most sum|a| * max|b|, and their
 * exponents are at most ea + eb. Each bound is worst if both factors are worst, so bounds over all
 * rows of A and over all rows of B hold for all pairs. */
#include "inside.h"

#include <math.h>
#include <pthread.h>
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

/* What the bounds need of a block. Sums times a scale are below 2^42 (E5M2), exact in doubles. */
struct block {
	uint64_t any, max, sum; /* the magnitudes' bits, their largest and their sum */
	unsigned flags;
};

static struct block block_of(const struct exact_codes *all, const uint8_t *code, size_t n) {
	struct block b = { 0 };
	for (size_t i = 0; i < n; i++) {
		uint64_t sig = (uint64_t)llabs(all->sig[code[i]]);
		b.any |= sig;
		b.max = sig > b.max ? sig : b.max;
		b.sum += sig;
		b.flags |= all->flags[code[i]];
	}
	return b;
}

static struct bounds row_bounds(const struct exact_operand *o, const struct exact_format *f,
                                const struct exact_codes *all, size_t row, size_t k) {
	const uint8_t *codes = o->codes + row * o->ld, *scales = o->scales + row * o->ld_scales;
	struct bounds w = { .unit = NO_UNIT };
	int top = -NO_UNIT;
	size_t length = exact_block_of(o);
	for (size_t first = 0; first < k; first += length) {
		uint8_t code[EXACT_BLOCK];
		size_t n = k - first < length ? k - first : length;
		struct exact_item scale = exact_scale_item(o, scales[first / length]);
		int exp = exact_format_lsb(f) + scale.exp;
		exact_unpack(f, codes, first, n, code);
		struct block b = block_of(all, code, n);
		w.special |= (scale.flags & EXACT_NAN) || b.flags & (EXACT_INF | EXACT_NAN);
		if (!b.any || !scale.sig)
			continue;
		int unit = exp + __builtin_ctzll(b.any) + __builtin_ctzll(scale.sig);
		w.any = true;
		w.unit = unit < w.unit ? unit : w.unit;
		top = larger(top, exact_format_lsb(f) + scale.top + exponent(f, b.max));
		w.sum += ldexp((double)(b.sum * scale.sig), exp);
		w.max = fmax(w.max, ldexp((double)(b.max * scale.sig), exp));
	}
	if (!w.any)
		return w;
	w.span = top - w.unit;
	w.unit_sum = ldexp(w.sum, -w.unit);
	w.unit_max = ldexp(w.max, -w.unit);
	return w;
}

/* The worst bounds of all rows of an operand. */
struct worst {
	const struct exact_operand *o;
	const struct exact_format *format;
	const struct exact_codes *codes;
	size_t k;
	pthread_mutex_t lock;
	struct bounds all;
};

static void add_bounds(struct bounds *all, struct bounds w) {
	all->special |= w.special;
	all->any |= w.any;
	all->unit = w.unit < all->unit ? w.unit : all->unit;
	all->span = larger(all->span, w.span);
	all->sum = fmax(all->sum, w.sum);
	all->max = fmax(all->max, w.max);
	all->unit_sum = fmax(all->unit_sum, w.unit_sum);
	all->unit_max = fmax(all->unit_max, w.unit_max);
}

static void worst_rows(void *context, size_t from, size_t to) {
	struct worst *w = context;
	struct bounds some = { .unit = NO_UNIT };
	for (size_t row = from; row < to; row++)
		add_bounds(&some, row_bounds(w->o, w->format, w->codes, row, w->k));
	pthread_mutex_lock(&w->lock);
	add_bounds(&w->all, some);
	pthread_mutex_unlock(&w->lock);
}

static struct bounds worst_of(const struct exact_operand *o, size_t rows, size_t k,
                              unsigned threads) {
	enum { SOME = 64 };
	struct exact_codes codes;
	struct worst w = { o, exact_format(o->format), &codes, k };
	exact_list_codes(w.format, &codes);
	w.all.unit = NO_UNIT;
	pthread_mutex_init(&w.lock, NULL);
	exact_parallel(threads, rows, SOME, worst_rows, &w);
	pthread_mutex_destroy(&w.lock);
	return w.all;
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

static enum exact_status check_shape(const struct exact_operand *o, size_t rows, size_t k) {
	enum exact_status status = exact_operand_shape(o, 0, k, 1);
	return status ? status : rows && k > SIZE_MAX / 16 / rows ? EXACT_BAD_SHAPE : EXACT_OK;
}

enum exact_status exact_regime_of(const struct exact_gemm *g, struct exact_regime_facts *facts,
                                  char *why, size_t why_size) {
	char nowhere[1];
	*facts = (struct exact_regime_facts){ false, 0 };
	if (!why || !why_size)
		why = nowhere, why_size = sizeof nowhere;
	*why = '\0';
	enum exact_status status = check_shape(&g->a, g->m, g->k);
	if (!status)
		status = check_shape(&g->b, g->n, g->k);
	if (!status) {
		struct bounds a = worst_of(&g->a, g->m, g->k, g->threads);
		struct bounds b = worst_of(&g->b, g->n, g->k, g->threads);
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
