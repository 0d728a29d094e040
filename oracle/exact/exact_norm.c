/* Layer norm and RMS norm of a row in f64, with a bound on the error of any kernel in f32.
 *
 *   layer norm  y_i = (x_i - m) r w_i + b_i, m the mean, r = 1 / sqrt(v + eps), v the mean of
 *               (x_i - m)^2
 *   RMS norm    the same with m = 0
 *
 * The family. Sums are of n terms in any order, in f32 that rounds or cuts; a mean is a sum divided
 * by n, or multiplied by a rounded 1 / n. v is the mean of squares of x_i - m (two passes), or that
 * of x_i^2 less m^2 (one pass). r is v_rsq_f32 (1 ulp), or v_sqrt_f32 and v_rcp_f32 (1 ulp each)
 * [ISA 6.3]. Products of x_i - m, r and w_i are formed in any order, or y_i is x_i s + t with s = r
 * w_i and t = b_i - m s, with or without fma.
 *
 * Let u = 2^-23, g = gamma_n + 4 u (exact_bound.c; two roundings of the division, and the factors
 * of second order), and Q the mean of x_i^2. By Cauchy and Schwarz |m| and the mean of |x_i| are at
 * most sqrt(Q), and v is at most Q.
 *
 *   m: wrong by at most d_m = g mean |x_i| <= g sqrt(Q).
 *
 *   v, one pass: the mean of squares is wrong by (g + u) Q, the square of m by 2 |m| d_m + d_m^2 +
 *       u Q, and the difference rounds: at most (3 g + 3 u) Q (1 + g).
 *
 *   v, two passes: x_i - m is wrong by e_i = d_m + u (|x_i - m| + d_m). So the mean of squares is
 *       wrong by at most 2 sqrt(v) d_m + 2 u v + the same of second order, and its sum by another
 *       (g + u) v: at most (3 g + 3 u) Q (1 + g).
 *
 *   v, RMS norm: the first term of one pass alone.
 *
 *   d_v = 4 g Q covers all three while g < 2^-4, as g is at least 4 u. From g = 2^-4 on there is no
 *       bound.
 *
 *   r: v + eps rounds. With D = d_v / (v + eps) + u the sum is wrong by a factor from 1 - D to
 *       1 + D, so r by at most R = (1 + 2^-21) / sqrt(1 - D) - 1; 2^-21 is for the instructions and
 *       for a rounding of eps to f32. If D is 1 or more there is no bound.
 *
 *   y: at most 3 roundings of factors, |w_i| r ((|x_i - m| + e_i) (1 + R) (1 + u)^3 - |x_i - m|).
 *       With s and t instead: x_i s, m s and t each round, 3 u (|x_i| + |m|) r |w_i| (1 + R). The
 *       bias and the result round: 2 u (|b_i| + |y_i|), and their errors.
 *
 * Underflow loses at most 2^-126 for each operation, of the mean of squares 4 of them, which are in
 * d_v, and of y_i 8 of them. The reference itself, in f64, is wrong by less than 2^-20 of the
 * bound. */
#include "reference.h"

#include <math.h>

#define U    0x1p-23
#define TINY 0x1p-126

/* The statistics of a row, and by how much a kernel's may be wrong. */
struct moments {
	double mean, mean_error;
	double r, r_error; /* the error is relative */
};

static struct moments moments_of(const struct exact_norm *p, const double *x) {
	struct moments s = { 0 };
	double n = (double)p->n, sum = 0, size = 0, squares = 0, v = 0;
	double g = exact_bound_factor(p->n) + 4 * U;
	for (size_t i = 0; i < p->n; i++) {
		sum += x[i];
		size += fabs(x[i]);
		squares += x[i] * x[i];
	}
	if (p->centred) {
		s.mean = sum / n;
		s.mean_error = g * size / n + TINY;
	}
	for (size_t i = 0; i < p->n; i++)
		v += (x[i] - s.mean) * (x[i] - s.mean) / n;
	double wrong = (4 * g * squares / n + 4 * TINY) / (v + p->eps) + U;
	s.r = 1 / sqrt(v + p->eps);
	s.r_error = wrong < 1 && g < 0x1p-4 ? (1 + 0x1p-21) / sqrt(1 - wrong) - 1 : INFINITY;
	return s;
}

static double bound_of(const struct moments *s, double x, double w, double b, double y) {
	double c = fabs(x - s->mean), e = s->mean_error + U * (c + s->mean_error) + TINY;
	double factors = (c + e) * (1 + s->r_error) * pow(1 + U, 3) - c;
	double shifted = 3 * U * (fabs(x) + fabs(s->mean)) * (1 + s->r_error);
	double bound = fabs(w) * s->r * (factors + shifted) + 8 * TINY;
	return (bound + 2 * U * (fabs(b) + fabs(y) + bound)) * (1 + 0x1p-20);
}

enum exact_status exact_norm(const struct exact_norm *p, double *y, double *bound) {
	for (size_t row = 0; row < p->rows; row++) {
		const double *x = p->x + row * p->n;
		struct moments s = moments_of(p, x);
		for (size_t i = 0; i < p->n; i++) {
			double w = p->weight ? p->weight[i] : 1, b = p->bias ? p->bias[i] : 0;
			double *to = &y[row * p->n + i];
			*to = (x[i] - s.mean) * s.r * w + b;
			bound[row * p->n + i] = bound_of(&s, x[i], w, b, *to);
		}
	}
	return EXACT_OK;
}
