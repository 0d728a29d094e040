/* Whether every order of an epilogue's steps gives the same bits.
 *
 * Let an element's terms (alpha acc, beta C, bias) be multiples of v = 2^q, q >= -149, and the sum
 * of their magnitudes below 2^24 v and 2^128. Then each term and each partial sum is an f32 number.
 * So nothing is rounded in any order, fused or not. A sum of zeros is -0 if all are -0, else +0,
 * again in any order [IEEE 754-2019, 6.3]. */
#include "inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_UNIT = 10000 };

/* Bounds of the terms of one element. */
struct terms {
	bool special;
	int unit;
	size_t n;
	struct exact_term t[3];
};

static void add(struct terms *all, uint32_t x, uint32_t y) {
	struct exact_term a = exact_f32_term(x), b = exact_f32_term(y);
	struct exact_term t = { a.sig * b.sig, a.exp + b.exp };
	all->special |= exact_f32_special(x) || exact_f32_special(y);
	if (all->special || !t.sig)
		return;
	int unit = t.exp + __builtin_ctzll((uint64_t)llabs((int64_t)t.sig)); /* below 2^48 */
	all->unit = unit < all->unit ? unit : all->unit;
	all->t[all->n++] = t;
}

/* In units of v. At most three terms, rounded to nearest: 2^24 and more stays 2^24 or more. */
static double magnitudes(const struct terms *all) {
	double sum = 0;
	for (size_t i = 0; i < all->n; i++)
		sum += ldexp(fabs((double)all->t[i].sig), all->t[i].exp - all->unit);
	return sum;
}

static bool element(const struct terms *all, char *why, size_t size) {
	double sum = magnitudes(all);
	if (all->special)
		snprintf(why, size, "it has a NaN or an infinity");
	else if (all->n && all->unit < -149)
		snprintf(why, size, "its terms have bits down to 2^%d, below 2^-149", all->unit);
	else if (sum >= 0x1p24)
		snprintf(why, size, "its terms' magnitudes sum to 2^%.2f units, 2^24 or more",
		         log2(sum));
	else if (all->n && ldexp(sum, all->unit) >= 0x1p128)
		snprintf(why, size, "its terms' magnitudes sum to 2^128 or more");
	else
		return true;
	return false;
}

bool exact_epilogue_regime(const struct exact_epilogue *e, size_t m, size_t n, const uint32_t *acc,
                           char *why, size_t why_size) {
	const uint32_t one = 0x3f800000;
	char reason[128];
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++) {
			const uint32_t *c = exact_epilogue_c(e, i, j),
				       *bias = exact_epilogue_bias(e, i, j);
			struct terms all = { .unit = NO_UNIT };
			add(&all, e->alpha, acc[i * n + j]);
			if (c)
				add(&all, e->beta, *c);
			if (bias)
				add(&all, *bias, one);
			if (element(&all, reason, sizeof reason))
				continue;
			snprintf(why, why_size, "epilogue of element [%zu][%zu]: %s", i, j, reason);
			return false;
		}
	return true;
}
