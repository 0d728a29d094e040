/* Softmax in f64, with a bound on the error of any kernel in f32.
 *
 * The family. Scores may be multiplied by log2(e), so that exp2 is used. The maximum of a row may
 * be that of all scores, or a running one: the scores are taken in tiles of at least TILE of them,
 * and weights and sums of earlier tiles are multiplied by exp(old - new maximum). The final maximum
 * and all running ones cancel in the quotient, so only these errors remain for a weight:
 *
 *   - its score, wrong by at most error_j; and once more, because a maximum is subtracted and the
 *     product with log2(e) is formed: three roundings of numbers of at most |x_j| + |max|, 2^-23
 * each, of which the parts at the maximum are the same for all weights of a tile, and differ
 * between tiles by the steps of the running maximum, which sum to at most its range: 2^-21 (range +
 * |x_j
 *     - max| + |x_j| + |max|), range being the distance from the smallest score to the largest;
 *   - exp of it and of each step of the maximum: v_exp_f32 is within 1 ulp [ISA 6.3, "1ULP
 * accuracy"], and the multiplication that follows rounds, together 2^-22; there are tiles + 1 of
 * them.
 *
 * A weight is then wrong by a factor exp(d), |d| <= error_j + 2^-21 (range + |x_j - max| + |x_j| +
 * |max|) + (tiles + 1) 2^-21, twice the second part, which covers the second order. A weight below
 * 2^-126 may be flushed to 0: an absolute error of 2^-126, of a sum that is at least 1.
 *
 * The sum of n weights has n - 1 additions in any order, 2^-23 each, and one rescaling for each
 * tile: within g = (n + tiles) 2^-23 (1 + 2^-10) of itself for n up to 2^12, and expm1 of that in
 * general. The quotient is a division, or v_rcp_f32 (1 ulp) and a multiplication: 2^-21. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

enum { TILE = 16 };

#define TINY 0x1p-126

static double tiles_of(size_t n) {
	return (double)((n + TILE - 1) / TILE);
}

void exact_weights(size_t n, const double *x, const double *error, double *weight,
                   double *relative) {
	double most = -INFINITY, least = INFINITY;
	for (size_t j = 0; j < n; j++) {
		most = fmax(most, x[j]);
		if (!isinf(x[j]))
			least = fmin(least, x[j]);
	}
	for (size_t j = 0; j < n; j++) {
		bool masked = isinf(x[j]);
		double own = fabs(x[j]) + fabs(most) + (most - x[j]) + (most - least);
		double d = (error ? error[j] : 0) + 0x1p-21 * (own + tiles_of(n) + 1);
		weight[j] = masked ? 0 : exp(x[j] - most);
		relative[j] = masked ? 0 : expm1(d);
	}
}

/* The sum of weights, and by how much a kernel's may differ. */
static double sum_weights(size_t n, const double *weight, const double *relative, double *error) {
	double sum = 0, wrong = 0;
	for (size_t j = 0; j < n; j++) {
		sum += weight[j];
		wrong += weight[j] * relative[j] + TINY;
	}
	*error = wrong + expm1(((double)n + tiles_of(n)) * 0x1p-23) * (sum + wrong);
	return sum;
}

enum exact_status exact_softmax(size_t rows, size_t n, const double *x, double *y, double *bound) {
	double *relative = malloc((n + 1) * sizeof *relative);
	if (!relative)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < rows; i++) {
		double *weight = y + i * n, *e = bound + i * n, wrong;
		exact_weights(n, x + i * n, NULL, weight, relative);
		double sum = sum_weights(n, weight, relative, &wrong);
		for (size_t j = 0; j < n; j++) {
			double value = weight[j] / sum;
			double most = (weight[j] * (1 + relative[j]) + TINY) / (sum - wrong);
			e[j] = (most * (1 + 0x1p-21) - value) * (1 + 0x1p-40) + TINY;
			weight[j] = value;
		}
	}
	free(relative);
	return EXACT_OK;
}
