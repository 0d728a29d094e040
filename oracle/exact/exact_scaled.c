/* Products of factors with scales, with a bound on the distance of a kernel's accumulator.
 *
 * The family. Products of elements are summed in groups of any order, as exact_bound.c describes,
 * in f32 that rounds or cuts. Scales of a block of K, of a row or of the tensor may be applied to
 * elements' products, to partial sums or to the sum, each by one multiplication in f32 that rounds
 * or cuts; two scales may be multiplied first. A bias is added last.
 *
 * f32. Without scales a result lies within gamma T of the sum, T being the sum of the terms'
 * nominal magnitudes, gamma = K e / (1 - K e), e = 2^-22 (1 + 2^-23): exact_bound.c proves it. A
 * multiplication by a scale changes each term that passes through it by a factor 1 + d, |d| <=
 * 2^-23. Multiplying partial sums by scales is linear, so the errors of the sums before and after
 * it are those of the scaled terms: with s multiplications the result lies within
 *
 *     ((1 + gamma) (1 + 2^-23)^s - 1) T
 *
 * The bias is one addition more: 2^-23 of the magnitude of its result.
 *
 * i32. The sum of products is exact below 2^31 (the caller checks T). If T is 2^24 or more its
 * conversion to f32 rounds; each scale is a rounding: ((1 + 2^-23)^(s + 1) - 1) |sum|.
 *
 * f64. The same as f32 with 2^-53 for 2^-24, twice: this reference rounds too.
 *
 * Zero. Let u be the largest power of two that divides all terms of the element: those of its row
 * of A times those of its row of B. If T is below 2^24 u and below 2^127, and u is at least 2^-126,
 * then every product, partial sum and scaled partial sum is a multiple of u below 2^24 u: no
 * operation rounds, and the bound is 0. The same holds of the bias, with the unit of both.
 *
 * Underflow. Below 2^-126 an operation loses at most 2^-126, also where denormals are flushed: 4 K
 * + s of them for an element, which grow by less than 2.
 *
 * The reference itself is summed in f64: K 2^-53 / (1 - K 2^-53) T more. */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0x1p-23

enum { MAX_K = 1 << 20 };

/* The largest power of two that divides x; infinity for 0. */
static double unit_of(double x) {
	int exponent;
	uint64_t bits = (uint64_t)ldexp(fabs(frexp(x, &exponent)), DBL_MANT_DIG);
	return bits ? ldexp(1, exponent - DBL_MANT_DIG + __builtin_ctzll(bits)) : INFINITY;
}

static double *units(const double *x, size_t rows, size_t k) {
	double *u = malloc((rows + 1) * sizeof *u);
	for (size_t i = 0; u && i < rows; i++) {
		u[i] = INFINITY;
		for (size_t j = 0; j < k; j++)
			u[i] = fmin(u[i], unit_of(x[i * k + j]));
	}
	return u;
}

/* Factor by which T is multiplied for the bound of the sum. */
static double factor_of(const struct exact_scaled *p) {
	double scalings = pow(1 + STEP, p->scalings);
	double gamma = exact_bound_factor(p->k);
	if (p->in == EXACT_IN_F64)
		return 2 * ldexp(gamma, -29) + ldexp(p->scalings, -51);
	return (1 + gamma) * scalings - 1;
}

static double integer_bound(const struct exact_scaled *p, double sum, double total) {
	unsigned roundings = p->scalings + (total >= 0x1p24);
	return (pow(1 + STEP, roundings) - 1) * fabs(sum);
}

/* Whether terms of these units, with this sum of magnitudes, add up without rounding. */
static bool is_exact(double unit, double total) {
	return total == 0 || (unit >= 0x1p-126 && total < 0x1p127 && total < 0x1p24 * unit);
}

/* The sum of products. */
static double bound_of_sum(const struct exact_scaled *p, double factor, double sum, double total,
                           double unit) {
	bool f64 = p->in == EXACT_IN_F64;
	if (is_exact(unit, total) && !f64)
		return 0;
	double e = p->in == EXACT_IN_I32 ? integer_bound(p, sum, total) : factor * total;
	e += (double)p->k * 0x1p-53 * total;
	return f64 ? e : e + 2 * (4 * (double)p->k + p->scalings) * 0x1p-126;
}

/* One element: its sum and T, and the units of its rows. */
static double bound_of(const struct exact_scaled *p, double factor, double sum, double total,
                       double unit, double bias) {
	double e = bound_of_sum(p, factor, sum, total, unit);
	double all = total == 0 ? unit_of(bias) : fmin(unit, unit_of(bias));
	if (p->bias && (e > 0 || !is_exact(all, total + fabs(bias)) || p->in == EXACT_IN_F64))
		e += (p->in == EXACT_IN_F64 ? 0x1p-51 : STEP) * (fabs(sum + bias) + e);
	return e * (1 + 0x1p-40);
}

static void finish(const struct exact_scaled *p, const double *ua, const double *ub, double *value,
                   double *bound) {
	double factor = factor_of(p);
	for (size_t i = 0; i < p->m * p->n; i++) {
		double bias = p->bias ? p->bias[i % p->n] : 0;
		double unit = ua[i / p->n] * ub[i % p->n];
		bound[i] = bound_of(p, factor, value[i], bound[i], unit, bias);
		value[i] += bias;
	}
}

enum exact_status exact_scaled(const struct exact_scaled *p, double *value, double *bound) {
	if (p->k > MAX_K)
		return EXACT_BAD_SHAPE;
	double *ua = units(p->a.value, p->m, p->k), *ub = units(p->b.value, p->n, p->k);
	enum exact_status status = ua && ub ? EXACT_OK : EXACT_NO_MEMORY;
	if (status == EXACT_OK) {
		exact_dgemm_nt(p->m, p->n, p->k, p->a.value, p->b.value, value);
		exact_dgemm_nt(p->m, p->n, p->k, p->a.nominal, p->b.nominal, bound);
		finish(p, ua, ub, value, bound);
	}
	free(ua);
	free(ub);
	return status;
}
