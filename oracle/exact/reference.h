/* References in f64 with derived bounds, for kernels that are more than an MX product: products of
 * any factors with scales, softmax, norms, attention, a mixture of experts.
 *
 * A value is what real arithmetic gives. A bound is the largest distance from it of any kernel of
 * the family that the function's file describes, before the output is rounded. Bounds follow from
 * the number of roundings and from the errors of the instructions; nothing is typed in. All
 * matrices are row-major and contiguous, in the caller's memory. */
#ifndef EXACT_REFERENCE_H
#define EXACT_REFERENCE_H

#include "exact.h"

/* ---- products: exact_scaled.c ---- */

/* A factor, n rows of k: its values with scales, and their nominal values: the magnitude, or for a
 * subnormal element the smallest normal number, with the scale. */
struct exact_factor {
	const double *value, *nominal;
};

/* The accumulator: f32 or f64 in any order, or i32, which is exact; the sum is then converted to
 * f32 once. */
enum exact_accumulator { EXACT_IN_F32, EXACT_IN_F64, EXACT_IN_I32 };

struct exact_scaled {
	size_t m, n, k;
	struct exact_factor a, b;
	enum exact_accumulator in;
	unsigned scalings;  /* multiplications by scales that a term may pass through */
	const double *bias; /* n, or NULL */
};

/* value, bound: m n. Where the bound is 0, every order gives this one value. */
enum exact_status exact_scaled(const struct exact_scaled *p, double *value, double *bound);

/* ---- softmax: exact_softmax.c ---- */

/* Weights of n scores: w_j = exp(x_j - max) and an upper bound of the relative error of each, if a
 * score is wrong by at most error_j (NULL: 0) before the maximum is subtracted. Scores of -infinity
 * are masked: their weight is 0. */
void exact_weights(size_t n, const double *x, const double *error, double *weight,
                   double *relative);

/* softmax of each row of x, with bounds. */
enum exact_status exact_softmax(size_t rows, size_t n, const double *x, double *y, double *bound);

/* ---- a mixture of experts: exact_moe.c ---- */

/* The format in which h meets the second product, or weights of attention meet V. E2M1 and E4M3:
 * blocks of 32 with a scale that is a power of two, the least one with amax < limit * scale; limit
 * is 8 (floor), 7 (even) or 6 (no saturation) of E2M1, and 448 (no saturation) of E4M3. */
enum exact_blocks { EXACT_NO_BLOCKS, EXACT_BLOCKS_E2M1, EXACT_BLOCKS_E4M3 };
struct exact_inner {
	enum exact_blocks blocks;
	double limit; /* of blocks */
	int digits;   /* without blocks */
	double least; /* the smallest subnormal, of weights as a part of the largest */
};

/* One expert: h = silu(G) U, G and U being the first and the last `inner` columns of X W1^T. */
struct exact_expert {
	size_t tokens, depth, inner;
	struct exact_factor x, w1; /* tokens x depth, 2 inner x depth */
	enum exact_accumulator in;
	unsigned scalings; /* of the first product */
};

/* h, bound: tokens x inner. */
enum exact_status exact_gated(const struct exact_expert *p, double *h, double *bound);

/* Converts h, rows x n with errors of at most `bound`, to a format, and updates the bound. */
void exact_narrowed(const struct exact_inner *f, size_t rows, size_t n, double *h, double *bound);

/* y = h W2^T: h is rows x k with errors of at most h_bound, W2 width x k, y rows x width. */
enum exact_status exact_down(size_t rows, size_t width, size_t k, const double *h,
                             const double *h_bound, struct exact_factor w2, unsigned scalings,
                             double *y, double *bound);

/* ---- norms: exact_norm.c ---- */

/* Layer norm of each row of x (centred), or RMS norm. */
struct exact_norm {
	size_t rows, n;
	const double *x;
	const double *weight, *bias; /* n each, or NULL: 1 and 0 */
	double eps;
	bool centred;
};

/* y, bound: rows n. A bound of infinity: the row is too close to constant for its size. */
enum exact_status exact_norm(const struct exact_norm *p, double *y, double *bound);

/* ---- attention: exact_attention.c ---- */

enum exact_mask { EXACT_NO_MASK, EXACT_CAUSAL_TOP, EXACT_CAUSAL_BOTTOM };

/* One head: O = softmax(scale Q K^T + mask) V, and the logarithm of the sum of exponentials. Rows
 * of keys and values are the same. mask: key j is used by query i if j <= i (TOP), or if j <= i +
 * keys - queries (BOTTOM). A query without a key has O = 0 and LSE = -infinity. */
struct exact_attention {
	size_t queries, keys, depth, width; /* columns of Q and K; of V */
	const double *q, *k, *v;
	double scale;
	enum exact_mask mask;
	struct exact_inner p; /* the format in which weights meet V */
	size_t tile;          /* of blocks: a multiple of 32 */
	double lazy; /* of blocks: the maximum is replaced only if it grows by more than this power
	                of two of the weights */
	unsigned
		scalings; /* multiplications by scales of Q, K and V that a term may pass through */
};

/* o, o_bound: queries x width; lse, lse_bound: queries. */
enum exact_status exact_attention(const struct exact_attention *p, double *o, double *o_bound,
                                  double *lse, double *lse_bound);

#endif
