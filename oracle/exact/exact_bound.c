/* A bound on the distance of a result from the exact sum, for a wide family of datapaths.
 *
 * The family. K products p_k, exact, are divided into groups of any sizes, in any order. A group
 * may also include the f32 result of earlier groups (one accumulator). The f32 results of separate
 * chains (split-K) are added in f32 in any order. In a group of t terms
 *   - let 2^E be the largest nominal value of a term. Each other term, and each of at most t - 1
 *     sums inside the group, may be cut once to a multiple of 2^(E-24), in any direction;
 *   - the group's sum becomes f32: rounded to nearest, or cut toward zero.
 * The nominal value of x is 2^e with e its exponent; a subnormal has the exponent of the smallest
 * normal. That of a product is the product of its factors' nominal values. Let n_k be the larger of
 * it and |p_k|, and T = sum n_k. Chains start at +0.
 *
 * One group. Let X be the sum of n_k and of the magnitudes of the results that the group includes;
 * 2^E <= X. Cuts lose less than (2t - 2) 2^-24 X, and rounding loses 2^-23 of a sum below X (1 +
 * (2t - 2) 2^-24), together at most 2t 2^-24 (1 + 2^-23) X. For g products and an accumulator, t =
 * g + 1 <= 2g: at most g e X with e = 2^-22 (1 + 2^-23). The first group of a chain has t = g and
 * loses half of that. The addition of a chain is exact except for its rounding, and loses 2^-23,
 * the other half.
 *
 * All groups. By induction the error of a result of n products is at most ((1 + e)^n - 1) T_n: if
 * the accumulator holds n' products, X <= sum n_k + (1 + e)^n' T_n', and the error is at most ((1 +
 * e)^n' - 1) T_n' + g e X <= ((1 + e)^(n' + g) - 1) (T_n' + sum n_k). Finally (1 + e)^K - 1 <= K e
 * / (1 - K e): the bound is gamma T.
 *
 * Below 2^-126 a cut or a rounding loses up to 2^-149, whatever X is (a subnormal accumulator
 * counts as 2^-126). There are at most 4 of them for each product, and they grow by (1 + e)^K < 2:
 * K 2^-146.
 *
 * OpenBLAS computes the sum and T in f64, where products are exact. The error in any order is at
 * most K 2^-53 / (1 - K 2^-53) of the sum of magnitudes [Higham, Accuracy and Stability of
 * Numerical Algorithms, 3.1]. It is added to the bound, and T is rounded up by as much. */
#include "inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP  (0x1p-22 * (1 + 0x1p-23))
#define ROUND 0x1p-50 /* more than the rounding errors of the few f64 operations of this file */

enum { MAX_K = 1 << 20 }; /* so that K e < 1/2 */

double exact_bound_factor(size_t k) {
	return k * STEP / (1 - k * STEP);
}

/* ---- values and nominal values ---- */

struct matrix {
	struct exact_rows rows;
	double *value, *nominal;
	bool *special; /* for each row: it has a NaN or an infinity */
};

static void fill_row(struct matrix *m, size_t index) {
	size_t k = m->rows.blocks * EXACT_BLOCK;
	struct exact_row row = exact_row_at(&m->rows, index);
	double *value = m->value + index * k, *nominal = m->nominal + index * k;
	double normal = ldexp(1, m->rows.format->man_bits);
	double unit = 0;
	for (size_t i = 0; i < k; i++) {
		bool special = row.flags[i] & (EXACT_INF | EXACT_NAN);
		double sig = special ? 0 : (double)row.sig[i];
		if (i % EXACT_BLOCK == 0)
			unit = ldexp(1, row.block[i / EXACT_BLOCK].exp);
		m->special[index] |= special;
		value[i] = sig * unit;
		nominal[i] = sig == 0 ? 0 : fmax(fabs(sig), normal) * unit;
	}
}

static enum exact_status fill(struct matrix *m, const struct exact_operand *o, size_t rows,
                              size_t k) {
	enum exact_status status = exact_rows_decode(&m->rows, o, rows, k, 1);
	size_t n = rows * m->rows.blocks * EXACT_BLOCK + 1;
	if (status)
		return status;
	m->value = malloc(n * sizeof *m->value);
	m->nominal = malloc(n * sizeof *m->nominal);
	m->special = calloc(rows + 1, sizeof *m->special);
	if (!m->value || !m->nominal || !m->special)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < rows; i++)
		fill_row(m, i);
	return EXACT_OK;
}

static void empty(struct matrix *m) {
	exact_rows_free(&m->rows);
	free(m->value);
	free(m->nominal);
	free(m->special);
}

/* ---- one element ---- */

enum { SEEN_NAN = 1, SEEN_PLUS = 2, SEEN_MINUS = 4 };

static bool is_zero(const struct exact_row *r, size_t k) {
	return !r->sig[k] && !(r->flags[k] & EXACT_INF);
}

static unsigned specials(const struct matrix *a, size_t i, const struct matrix *b, size_t j) {
	struct exact_row x = exact_row_at(&a->rows, i), y = exact_row_at(&b->rows, j);
	unsigned seen = 0;
	for (size_t k = 0; k < a->rows.blocks * EXACT_BLOCK; k++) {
		unsigned either = x.flags[k] | y.flags[k];
		if (either & EXACT_NAN ||
		    (either & EXACT_INF && (is_zero(&x, k) || is_zero(&y, k))))
			seen |= SEEN_NAN;
		else if (either & EXACT_INF)
			seen |= (x.flags[k] ^ y.flags[k]) & EXACT_NEGATIVE ? SEEN_MINUS : SEEN_PLUS;
	}
	return seen;
}

/* If the positive products alone may add up to 2^128, some order gives +Inf, and NaN with a -Inf
 * from the negative products or from an infinite factor. */
static unsigned may_be(const struct exact_range *r, double magnitudes, unsigned seen) {
	bool plus = seen & SEEN_PLUS || (magnitudes + r->sum) / 2 + r->bound >= FLT_MAX;
	bool minus = seen & SEEN_MINUS || (magnitudes - r->sum) / 2 + r->bound >= FLT_MAX;
	unsigned may = 0;
	if (seen & SEEN_NAN || (seen & SEEN_PLUS && seen & SEEN_MINUS))
		return EXACT_MAY_NAN;
	if (!seen && fabs(r->sum) - r->bound <= FLT_MAX)
		may |= EXACT_MAY_FINITE;
	if (plus && !(seen & SEEN_MINUS))
		may |= EXACT_MAY_PLUS_INF;
	if (minus && !(seen & SEEN_PLUS))
		may |= EXACT_MAY_MINUS_INF;
	return plus && minus ? may | EXACT_MAY_NAN : may;
}

static struct exact_range range(double sum, double nominal, size_t k, unsigned seen) {
	double f64 = k * 0x1p-53 / (1 - k * 0x1p-53);
	double t = nominal * (1 + 2 * f64);
	struct exact_range r = { .sum = sum };
	if (t > 0)
		r.bound = (t * (exact_bound_factor(k) + f64) + k * 0x1p-146) * (1 + ROUND);
	r.may = may_be(&r, t, seen);
	return r;
}

/* ---- all elements ---- */

static enum exact_status multiply(const struct matrix *a, const struct matrix *b,
                                  struct exact_range *out) {
	size_t m = a->rows.rows, n = b->rows.rows, k = a->rows.blocks * EXACT_BLOCK;
	double *sum = malloc((m * n + 1) * sizeof *sum), *t = malloc((m * n + 1) * sizeof *t);
	if (sum && t) {
		exact_dgemm_nt(m, n, k, a->value, b->value, sum);
		exact_dgemm_nt(m, n, k, a->nominal, b->nominal, t);
	}
	for (size_t i = 0; sum && t && i < m * n; i++) {
		size_t row = i / n, col = i % n;
		bool special = a->special[row] || b->special[col];
		out[i] = range(sum[i], t[i], k, special ? specials(a, row, b, col) : 0);
	}
	bool good = sum && t;
	free(sum);
	free(t);
	return good ? EXACT_OK : EXACT_NO_MEMORY;
}

enum exact_status exact_bound(const struct exact_gemm *g, struct exact_range *out) {
	struct matrix a = { 0 }, b = { 0 };
	enum exact_status status = g->k > MAX_K ? EXACT_BAD_SHAPE : fill(&a, &g->a, g->m, g->k);
	if (!status)
		status = fill(&b, &g->b, g->n, g->k);
	if (!status)
		status = multiply(&a, &b, out);
	empty(&a);
	empty(&b);
	return status;
}

/* ---- membership ---- */

/* The f32 next to x inside the range, which is wider than a step of f32. */
static float at_least(double x) {
	float f = (float)fmax(x, -FLT_MAX);
	return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static float at_most(double x) {
	float f = (float)fmin(x, FLT_MAX);
	return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/* The ordinal of a pattern in the order of values, with -0 just below +0. */
static int64_t ordinal(const char *format, uint32_t code) {
	uint32_t sign = strcmp(format, "FP32") ? 0x8000 : 0x80000000;
	int64_t magnitude = code & ~sign & (sign | (sign - 1));
	return code & sign ? -1 - magnitude : magnitude;
}

/* An end of the range in the output's format: rounding to it is monotone. */
static uint32_t end_of(const struct exact_range *r, const char *format, bool high) {
	float f = r->bound == 0 ? (float)r->sum
	          : high        ? at_most(r->sum + r->bound)
	                        : at_least(r->sum - r->bound);
	uint32_t code = exact_bits(f);
	if (!strcmp(format, "FP32"))
		return code;
	exact_encode(format, exact_bits(f), 0, EXACT_RNE, EXACT_OVERFLOW, 0, &code);
	return code;
}

static double value_of(const char *format, uint32_t code) {
	uint32_t u = code;
	if (strcmp(format, "FP32"))
		exact_decode(format, code, &u);
	return (double)exact_float(u);
}

bool exact_range_has(const struct exact_range *r, const char *format, uint32_t code) {
	double x = value_of(format, code);
	if (isnan(x))
		return r->may & EXACT_MAY_NAN;
	if (isinf(x) && r->may & (x > 0 ? EXACT_MAY_PLUS_INF : EXACT_MAY_MINUS_INF))
		return true;
	int64_t at = ordinal(format, code);
	return r->may & EXACT_MAY_FINITE && at >= ordinal(format, end_of(r, format, false)) &&
	       at <= ordinal(format, end_of(r, format, true));
}

double exact_range_used(const struct exact_range *r, const char *format, uint32_t code) {
	double x = value_of(format, code), error = x - r->sum;
	if (!isfinite(x) || !(r->may & EXACT_MAY_FINITE))
		return exact_range_has(r, format, code) ? 0 : INFINITY;
	if (error == 0)
		return 0;
	double end = value_of(format, end_of(r, format, error > 0));
	return error / (end - r->sum);
}
