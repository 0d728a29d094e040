/* One expert of a mixture of experts in f64, with a bound on the error of any kernel of a family.
 *
 *   h = silu(g) u, g and u the halves of X W1^T
 *   y = q(h) W2^T, q a conversion
 *   silu(g) = g / (1 + exp(-g))
 *
 * The family. Products as in exact_scaled.c. exp is v_exp_f32 of a product with log2(e); the
 * quotient is a division, or v_rcp_f32 and a multiplication (1 ulp each [ISA 6.3]).
 *
 * g and u are wrong by at most e_g and e_u: exact_scaled.c.
 *
 * silu. Its derivative is at most 1.1 in magnitude, so an error e_g of g changes it by at most 1.1
 * e_g. The product of g and log2(e) has two roundings, of the constant and of the product. They are
 * a relative error of 2^-22 |g| in exp(-g), and exp itself adds 2^-23. The relative error of 1 +
 * exp(-g) is no larger, plus one rounding; the quotient has two roundings more. Together the
 * relative error of silu is 2^-22 |g| + 2^-21. Twice that covers the second order while |g| is
 * below 2^16. Below g = -80, where exp(-g) overflows, the result may be 0.
 *
 * h. The product of silu and u, and one rounding.
 *
 * q to a floating-point format, to nearest or cut: the error is 2^(1 - digits) |h| and the smallest
 * subnormal.
 *
 * q to blocks of E2M1 or E4M3. amax is wrong by at most the largest error of the block, and by
 * 2^-22 of itself if a recipe divides it. Every scale that an amax in this range gives is tried.
 * For each scale both ends of the range of h are converted, to nearest even. The conversion is
 * monotonic, so all other results lie between. The reference is the middle of the results, and the
 * bound half their distance: 0 where h is far from a tie. A kernel may raise amax to a least value
 * of up to 2^-16; if amax is below that, anything from 0 to twice h is within the bound.
 *
 * y. The error of a product of terms of at most |q| + e_q (exact_scaled.c), and e_q times the
 * magnitudes of W2. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#define TINY  0x1p-126
#define SMALL 0x1p-16

enum { BLOCK = 32 };

static double silu(double g) {
	return g / (1 + exp(-g));
}

static void gate(double g, double g_error, double u, double u_error, double *h, double *bound) {
	double s = silu(g), own = (0x1p-21 * fabs(g) + 0x1p-20) * fabs(s);
	double e = 1.1 * g_error + (g < -80 ? fabs(s) : own) + TINY;
	double most = (fabs(s) + e) * (fabs(u) + u_error);
	*h = s * u;
	*bound = (most * (1 + 0x1p-23) - fabs(s * u)) * (1 + 0x1p-40) + TINY;
}

enum exact_status exact_gated(const struct exact_expert *p, double *h, double *bound) {
	size_t n = p->tokens * 2 * p->inner;
	double *value = malloc((2 * n + 1) * sizeof *value), *error = value + n;
	struct exact_scaled both = { p->tokens, 2 * p->inner, p->depth,    p->x,
		                     p->w1,     p->in,        p->scalings, NULL };
	enum exact_status status = value ? exact_scaled(&both, value, error) : EXACT_NO_MEMORY;
	for (size_t i = 0; status == EXACT_OK && i < p->tokens * p->inner; i++) {
		size_t g = i / p->inner * 2 * p->inner + i % p->inner, u = g + p->inner;
		gate(value[g], error[g], value[u], error[u], &h[i], &bound[i]);
	}
	free(value);
	return status;
}

/* ---- conversions ---- */

/* The number of the format nearest to x, ties to even, and none above the largest. */
static double to_format(enum exact_blocks f, double x) {
	const struct {
		int digits, least; /* the exponent of the smallest subnormal */
		double most;
	} formats[] = { [EXACT_BLOCKS_E2M1] = { 2, -1, 6 }, [EXACT_BLOCKS_E4M3] = { 4, -9, 448 } };
	int exponent;
	frexp(x, &exponent);
	int step = exponent - formats[f].digits;
	double unit = ldexp(1, step > formats[f].least ? step : formats[f].least);
	return copysign(fmin(rint(fabs(x) / unit) * unit, formats[f].most), x);
}

static int scale_of(double amax, double limit) {
	int exponent;
	frexp(amax / limit, &exponent);
	return exponent;
}

/* One block, with every scale that its amax may have. */
static void narrow_block(const struct exact_inner *f, size_t n, double *h, double *bound) {
	double low = 0, high = 0;
	for (size_t i = 0; i < n; i++) {
		low = fmax(low, fabs(h[i]) - bound[i]);
		high = fmax(high, fabs(h[i]) + bound[i]);
	}
	int first = scale_of(low * (1 - 0x1p-22), f->limit),
	    last = scale_of(high * (1 + 0x1p-22), f->limit);
	for (size_t i = 0; i < n; i++) {
		double least = INFINITY, most = -INFINITY;
		if (low < SMALL) {
			bound[i] += fabs(h[i]);
			continue;
		}
		for (int s = first; s <= last; s++) {
			double unit = ldexp(1, s);
			least = fmin(least, unit * to_format(f->blocks, (h[i] - bound[i]) / unit));
			most = fmax(most, unit * to_format(f->blocks, (h[i] + bound[i]) / unit));
		}
		h[i] = (least + most) / 2;
		bound[i] = (most - least) / 2;
	}
}

void exact_narrowed(const struct exact_inner *f, size_t rows, size_t n, double *h, double *bound) {
	for (size_t i = 0; !f->blocks && i < rows * n; i++)
		bound[i] += ldexp(fabs(h[i]) + bound[i], 1 - f->digits) + f->least;
	for (size_t row = 0; f->blocks && row < rows; row++)
		for (size_t i = 0; i < n; i += BLOCK)
			narrow_block(f, n - i < BLOCK ? n - i : BLOCK, h + row * n + i,
			             bound + row * n + i);
}

enum exact_status exact_down(size_t rows, size_t width, size_t k, const double *h,
                             const double *h_bound, struct exact_factor w2, unsigned scalings,
                             double *y, double *bound) {
	double *nominal = malloc((rows * k + 1) * sizeof *nominal);
	double *inherited = malloc((rows * width + 1) * sizeof *inherited);
	enum exact_status status = EXACT_NO_MEMORY;
	if (nominal && inherited) {
		for (size_t i = 0; i < rows * k; i++)
			nominal[i] = fabs(h[i]) + h_bound[i];
		struct exact_scaled p = { rows, width,        k,        { h, nominal },
			                  w2,   EXACT_IN_F32, scalings, NULL };
		status = exact_scaled(&p, y, bound);
		exact_dgemm_nt(rows, width, k, h_bound, w2.nominal, inherited);
		for (size_t i = 0; i < rows * width; i++)
			bound[i] += inherited[i] * (1 + 0x1p-20);
	}
	free(nominal);
	free(inherited);
	return status;
}
