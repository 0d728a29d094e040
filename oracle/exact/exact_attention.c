/* Attention of one head in f64, with a bound on the error of any kernel of a family.
 *
 * The family. S = scale Q K^T in f32, in any order; softmax as in exact_softmax.c, over all keys or
 * in tiles; weights, at most 1, are converted to the format in which they meet V, to nearest or
 * toward zero; O is the sum of their products with V in f32, any order, divided by their sum. The
 * sum may be of the weights before or after the conversion.
 *
 *   s_j  Products of Q and K are summed within gamma_D T_j (exact_bound.c), T_j the sum of
 * magnitudes. The scale, log2(e) and scales of Q and K are at most `scalings` + 3 multiplications,
 * 2^-23 each. So s_j is wrong by at most |scale| ((1 + gamma_D) (1 + 2^-23)^(scalings + 3) - 1)
 * T_j. w_j  exact_weights turns this into a relative error r_j. The conversion adds 2^-(digits -
 * 1), and the smallest subnormal of the format where a weight is below its normal numbers; running
 *        maxima are at most the final one, so this is so of the final scale too.
 *   sums Numerator and denominator are sums over the keys in any order, with a rescaling for each
 * tile of keys: a factor 1 + g, g = gamma_N + tiles 2^-23.
 *
 * With f_j = (1 + r_j) (1 + 2^-(digits - 1)) (1 + g) - 1, the numerator N is wrong by at most E_N =
 * sum |v_j| (w_j f_j + least), the denominator L >= 1 by E_L = sum (w_j f_j + least). The quotient
 * is within (E_N + |O| E_L) / (L - E_L) of O = N / L, and division and scaling add 2^-21 and 2^-23
 * for each multiplication.
 *
 * LSE = max + ln L: ln of a sum that is wrong by E_L (there the sum is of weights in f32 or of
 * converted ones), v_log_f32 within 1 ulp, a multiplication by ln 2, and an addition: -ln(1 - E_L /
 * L)
 * + 2^-21 (|max| + |ln L| + 1), and the error of the score that is the maximum, which E_L has. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

enum { TILE = 16 };

/* Memory of one query. */
struct query {
	double *score, *error, *weight, *relative;
};

static double dot(size_t n, const double *a, const double *b, double *magnitude) {
	double sum = 0;
	*magnitude = 0;
	for (size_t i = 0; i < n; i++) {
		sum += a[i] * b[i];
		*magnitude += fabs(a[i] * b[i]);
	}
	return sum;
}

static bool is_used(const struct exact_attention *p, size_t i, size_t j) {
	if (p->mask == EXACT_NO_MASK)
		return true;
	return p->mask == EXACT_CAUSAL_TOP ? j <= i : j + p->queries <= i + p->keys;
}

static void make_scores(const struct exact_attention *p, size_t i, const struct query *x) {
	double factor = (1 + exact_bound_factor(p->depth)) * pow(1 + 0x1p-23, p->scalings + 3) - 1;
	for (size_t j = 0; j < p->keys; j++) {
		double total, s = dot(p->depth, p->q + i * p->depth, p->k + j * p->depth, &total);
		x->score[j] = is_used(p, i, j) ? p->scale * s : -INFINITY;
		x->error[j] = fabs(p->scale) * total * factor * (1 + 0x1p-30);
	}
	exact_weights(p->keys, x->score, x->error, x->weight, x->relative);
}

/* By how much a weight in a sum may be wrong. */
static double wrong_by(const struct exact_attention *p, const struct query *x, size_t j) {
	double tiles = (double)((p->keys + TILE - 1) / TILE);
	double g = exact_bound_factor(p->keys) + tiles * 0x1p-23 * (1 + 0x1p-10);
	double f = (1 + x->relative[j]) * (1 + ldexp(1, 1 - p->p_digits)) * (1 + g) - 1;
	return isinf(x->score[j]) ? 0 : x->weight[j] * f + p->p_least + 0x1p-126;
}

static void fill_query(const struct exact_attention *p, size_t i, const struct query *x, double *o,
                       double *o_bound, double *lse, double *lse_bound) {
	double sum = 0, wrong = 0, most = -INFINITY;
	for (size_t j = 0; j < p->keys; j++) {
		sum += x->weight[j];
		x->error[j] = wrong_by(p, x, j);
		wrong += x->error[j];
		most = fmax(most, x->score[j]);
	}
	for (size_t c = 0; c < p->width; c++) {
		double n = 0, e = 0;
		for (size_t j = 0; j < p->keys; j++) {
			double v = p->v[j * p->width + c];
			n += x->weight[j] * v;
			e += x->error[j] * fabs(v);
		}
		double value = sum > 0 ? n / sum : 0;
		double bound = (e + fabs(value) * wrong) / (sum - wrong);
		double last = 0x1p-21 + p->scalings * 0x1p-23;
		bound += last * (fabs(value) + bound) + 0x1p-126;
		o[i * p->width + c] = value;
		o_bound[i * p->width + c] = sum > wrong ? bound : sum > 0 ? INFINITY : 0;
	}
	lse[i] = sum > 0 ? most + log(sum) : -INFINITY;
	lse_bound[i] = sum > 0 ? -log1p(-fmin(wrong / sum, 1)) +
	                                 0x1p-21 * (fabs(most) + fabs(log(sum)) + 1)
	                       : 0;
}

enum exact_status exact_attention(const struct exact_attention *p, double *o, double *o_bound,
                                  double *lse, double *lse_bound) {
	double *all = malloc((4 * p->keys + 1) * sizeof *all);
	struct query x = { all, all + p->keys, all + 2 * p->keys, all + 3 * p->keys };
	if (!all)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < p->queries; i++) {
		make_scores(p, i, &x);
		fill_query(p, i, &x, o, o_bound, lse, lse_bound);
	}
	free(all);
	return EXACT_OK;
}
