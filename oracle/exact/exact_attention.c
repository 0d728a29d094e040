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
 * Weights in blocks of E2M1 or E4M3 are those of the family with tiles of `tile` keys in ascending
 * order: w_j = exp(s_j - m), m the largest score up to the tile's end, or an earlier one that is
 * less than it by at most `lazy` ln 2, kept as long as this holds, is converted as in exact_moe.c,
 * times exp(m - max) at the end; the sum is of weights before the conversion. So an error of m
 * changes what is converted, and E, the largest error of the scores so far, is part of that of w_j,
 * and again of exp(m - max). The reference is the sum of the converted weights. Where E decides
 * whether m is kept, the query has no bound.
 *
 * LSE = max + ln L: ln of a sum that is wrong by E_L (there the sum is of weights in f32 or of
 * converted ones), v_log_f32 within 1 ulp, a multiplication by ln 2, and an addition: -ln(1 - E_L /
 * L)
 * + 2^-21 (|max| + |ln L| + 1), and the error of the score that is the maximum, which E_L has. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* TILE: keys of a kernel's tile, at least. QUERIES: those that are computed together, by products
 * of matrices. Below FEW these do not pay. */
enum { TILE = 16, QUERIES = 64, FEW = 16 };

/* An error that covers every output. Finite, because it is multiplied by zeros too. */
#define UNKNOWN 0x1p300

/* Memory of some queries: a row of keys for each. */
struct queries {
	size_t first, n;
	double *score, *error, *weight, *relative;
	double *nominal; /* |Q|, a row of depth for each */
};

/* What all queries share: |K|, V^T and |V^T|. */
struct shared {
	double *k, *v, *nominal_v;
};

static bool is_used(const struct exact_attention *p, size_t i, size_t j) {
	if (p->mask == EXACT_NO_MASK)
		return true;
	return p->mask == EXACT_CAUSAL_TOP ? j <= i : j + p->queries <= i + p->keys;
}

static double dot(size_t n, const double *a, const double *b, double *magnitude) {
	double sum = 0;
	*magnitude = 0;
	for (size_t i = 0; i < n; i++) {
		sum += a[i] * b[i];
		*magnitude += fabs(a[i] * b[i]);
	}
	return sum;
}

/* Adds w v to `to`, and e |v| to `error`. */
static void add_scaled(size_t n, double w, double e, const double *v, double *to, double *error) {
	for (size_t i = 0; i < n; i++) {
		to[i] += w * v[i];
		error[i] += e * fabs(v[i]);
	}
}

static void magnitudes(size_t n, const double *x, double *size) {
	for (size_t i = 0; i < n; i++)
		size[i] = fabs(x[i]);
}

/* Q K^T and |Q| |K|^T. */
static void multiply_keys(const struct exact_attention *p, const struct shared *s,
                          const struct queries *x) {
	const double *q = p->q + x->first * p->depth;
	if (x->n >= FEW) {
		magnitudes(x->n * p->depth, q, x->nominal);
		exact_dgemm_nt(x->n, p->keys, p->depth, q, p->k, x->score);
		exact_dgemm_nt(x->n, p->keys, p->depth, x->nominal, s->k, x->error);
		return;
	}
	for (size_t i = 0; i < x->n * p->keys; i++)
		x->score[i] = dot(p->depth, q + i / p->keys * p->depth,
		                  p->k + i % p->keys * p->depth, &x->error[i]);
}

/* W V and E |V|, W the weights and E their errors. */
static void multiply_values(const struct exact_attention *p, const struct shared *s,
                            const struct queries *x, double *value, double *error) {
	if (x->n >= FEW) {
		exact_dgemm_nt(x->n, p->width, p->keys, x->weight, s->v, value);
		exact_dgemm_nt(x->n, p->width, p->keys, x->error, s->nominal_v, error);
		return;
	}
	memset(value, 0, x->n * p->width * sizeof *value);
	memset(error, 0, x->n * p->width * sizeof *error);
	for (size_t i = 0; i < x->n * p->keys; i++)
		add_scaled(p->width, x->weight[i], x->error[i], p->v + i % p->keys * p->width,
		           value + i / p->keys * p->width, error + i / p->keys * p->width);
}

/* Scores, their errors, and weights. */
static void make_weights(const struct exact_attention *p, const struct shared *s,
                         const struct queries *x) {
	double factor = (1 + exact_bound_factor(p->depth)) * pow(1 + 0x1p-23, p->scalings + 3) - 1;
	multiply_keys(p, s, x);
	for (size_t i = 0; i < x->n; i++) {
		double *score = x->score + i * p->keys, *error = x->error + i * p->keys;
		for (size_t j = 0; j < p->keys; j++) {
			score[j] = is_used(p, x->first + i, j) ? p->scale * score[j] : -INFINITY;
			error[j] *= fabs(p->scale) * factor * (1 + 0x1p-30);
		}
		exact_weights(p->keys, score, error, x->weight + i * p->keys,
		              x->relative + i * p->keys);
	}
}

/* The error of a sum over the keys, and of the rescaling for each tile. */
static double error_of_sum(const struct exact_attention *p) {
	double tiles = (double)((p->keys + TILE - 1) / TILE);
	return exact_bound_factor(p->keys) + tiles * 0x1p-23 * (1 + 0x1p-10);
}

/* By how much each weight of a query may be wrong in a sum. */
static void make_errors(const struct exact_attention *p, const struct queries *x, size_t i) {
	double converted = p->p.blocks ? 0 : ldexp(1, 1 - p->p.digits);
	double conversion = (1 + converted) * (1 + error_of_sum(p));
	for (size_t j = i * p->keys; j < (i + 1) * p->keys; j++) {
		double f = (1 + x->relative[j]) * conversion - 1;
		bool masked = isinf(x->score[j]);
		x->error[j] = masked ? 0 : x->weight[j] * f + p->p.least + 0x1p-126;
	}
}

/* The sums of a query's weights. */
struct sums {
	double sum, wrong, most;
};

static struct sums sums_of(const struct exact_attention *p, const struct queries *x, size_t i) {
	struct sums s = { 0, 0, -INFINITY };
	for (size_t j = i * p->keys; j < (i + 1) * p->keys; j++) {
		s.sum += x->weight[j];
		s.wrong += x->error[j];
		s.most = fmax(s.most, x->score[j]);
	}
	return s;
}

/* Converts the weights of a tile: h and its errors become those relative to the last maximum.
 * wrong: the largest error of a score so far. */
static void narrow_tile(const struct exact_attention *p, size_t n, const double *score,
                        const double *relative, double most, double wrong, double last, double *h,
                        double *error) {
	for (size_t j = 0; j < n; j++) {
		h[j] = isinf(score[j]) ? 0 : exp(score[j] - most);
		error[j] = h[j] * ((1 + relative[j]) * exp(wrong) - 1);
	}
	exact_narrowed(&p->p, 1, n, h, error);
	for (size_t j = 0; j < n; j++) {
		double f = (1 + relative[j]) * exp(2 * wrong) * (1 + error_of_sum(p)) - 1;
		h[j] *= exp(most - last);
		error[j] = error[j] * exp(most - last) * (1 + f) + h[j] * f;
	}
}

/* Converts the weights of a query with blocks, tile by tile. */
static void narrow(const struct exact_attention *p, const struct queries *x, size_t i,
                   double last) {
	double most = -INFINITY, top = -INFINITY, wrong = 0, kept = p->lazy * M_LN2;
	bool decided = true;
	for (size_t from = 0; from < p->keys; from += p->tile) {
		size_t n = p->keys - from < p->tile ? p->keys - from : p->tile;
		size_t at = i * p->keys + from;
		for (size_t j = at; j < at + n; j++) {
			top = fmax(top, x->score[j]);
			wrong = fmax(wrong, log1p(x->relative[j]));
		}
		decided &= !(fabs(top - most - kept) <= 2 * wrong + kept * 0x1p-20) || !p->lazy;
		if (!(top - most <= kept))
			most = top;
		if (!isinf(most))
			narrow_tile(p, n, x->score + at, x->relative + at, most, wrong, last,
			            x->weight + at, x->error + at);
	}
	for (size_t j = i * p->keys; !decided && j < (i + 1) * p->keys; j++)
		x->error[j] = UNKNOWN;
}

/* One query, of whose output the numerators and their errors are in o and o_bound. */
static void fill_query(const struct exact_attention *p, struct sums s, double *o, double *o_bound,
                       double *lse, double *lse_bound) {
	double last = 0x1p-21 + p->scalings * 0x1p-23;
	for (size_t c = 0; c < p->width; c++) {
		double value = s.sum > 0 ? o[c] / s.sum : 0;
		double bound = (o_bound[c] + fabs(value) * s.wrong) / (s.sum - s.wrong);
		bound += last * (fabs(value) + bound) + 0x1p-126;
		o[c] = value;
		o_bound[c] = s.sum > s.wrong ? bound : s.sum > 0 ? INFINITY : 0;
	}
	*lse = s.sum > 0 ? s.most + log(s.sum) : -INFINITY;
	*lse_bound = s.sum > 0
	                     ? -log1p(-fmin(s.wrong / s.sum, 1)) +
	                               0x1p-21 * (fabs(s.most) + fabs(log(s.sum)) + 2 * p->lazy + 1)
	                     : 0;
}

static void fill_queries(const struct exact_attention *p, const struct shared *s,
                         const struct queries *x, double *o, double *o_bound, double *lse,
                         double *lse_bound) {
	double *value = o + x->first * p->width, *bound = o_bound + x->first * p->width;
	struct sums sums[QUERIES];
	for (size_t i = 0; i < x->n; i++) {
		make_errors(p, x, i);
		sums[i] = sums_of(p, x, i);
		if (p->p.blocks)
			narrow(p, x, i, sums[i].most);
	}
	multiply_values(p, s, x, value, bound);
	for (size_t i = 0; i < x->n; i++)
		fill_query(p, sums[i], value + i * p->width, bound + i * p->width,
		           &lse[x->first + i], &lse_bound[x->first + i]);
}

static void share(const struct exact_attention *p, const struct shared *s) {
	magnitudes(p->keys * p->depth, p->k, s->k);
	for (size_t j = 0; j < p->keys; j++)
		for (size_t c = 0; c < p->width; c++)
			s->v[c * p->keys + j] = p->v[j * p->width + c];
	magnitudes(p->keys * p->width, s->v, s->nominal_v);
}

static void fill_all(const struct exact_attention *p, const struct shared *s, struct queries *x,
                     double *o, double *o_bound, double *lse, double *lse_bound) {
	for (; x->first < p->queries; x->first += QUERIES) {
		x->n = p->queries - x->first < QUERIES ? p->queries - x->first : QUERIES;
		make_weights(p, s, x);
		fill_queries(p, s, x, o, o_bound, lse, lse_bound);
	}
}

enum exact_status exact_attention(const struct exact_attention *p, double *o, double *o_bound,
                                  double *lse, double *lse_bound) {
	size_t most = p->queries < QUERIES ? p->queries : QUERIES, row = most * p->keys;
	size_t depth = p->queries < FEW ? 0 : p->depth, width = p->queries < FEW ? 0 : p->width;
	double *all =
		malloc((4 * row + most * depth + p->keys * (depth + 2 * width) + 1) * sizeof *all);
	struct queries x = { 0, 0, all, all + row, all + 2 * row, all + 3 * row, all + 4 * row };
	if (!all)
		return EXACT_NO_MEMORY;
	struct shared s = { .k = x.nominal + most * depth };
	s.v = s.k + p->keys * depth;
	s.nominal_v = s.v + p->keys * width;
	if (p->queries >= FEW)
		share(p, &s);
	fill_all(p, &s, &x, o, o_bound, lse, lse_bound);
	free(all);
	return EXACT_OK;
}
