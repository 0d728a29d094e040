/* References in f64: kernels of the family, in several orders and roundings, stay within the
 * derived bounds; known faults do not. The kernels here are written down as plain loops in f32. */
#include "../../oracle/exact/reference.h"
#include "../../oracle/values.h"
#include "../random.h"
#include "../tap.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 5, N = 7, K = 192, BLOCK = 64 };

static double uniform(void) {
	static uint64_t state = 7;
	return (double)(next_random(&state) >> 40) * 0x1p-23 - 1;
}

/* A number with that many digits. */
static double short_number(int digits) {
	int exponent;
	double fraction = frexp(uniform(), &exponent);
	return ldexp(rint(ldexp(fraction, digits)), exponent - digits);
}

/* ---- products ---- */

static double a[M * K], b[N * K], scaled_a[M * K], scaled_b[N * K], size_a[M * K], size_b[N * K];
static float scale_a[M][K / BLOCK], scale_b[N][K / BLOCK];
static double value[M * N], bound[M * N];

static void scale(void) {
	for (size_t k = 0; k < K; k++) {
		for (size_t i = 0; i < M; i++)
			scaled_a[i * K + k] = a[i * K + k] * (double)scale_a[i][k / BLOCK];
		for (size_t j = 0; j < N; j++)
			scaled_b[j * K + k] = b[j * K + k] * (double)scale_b[j][k / BLOCK];
	}
	for (size_t i = 0; i < M * K; i++)
		size_a[i] = fabs(scaled_a[i]);
	for (size_t i = 0; i < N * K; i++)
		size_b[i] = fabs(scaled_b[i]);
}

static void draw(int digits, bool exact) {
	for (size_t i = 0; i < M * K; i++)
		a[i] = exact ? rint(uniform() * 8) : short_number(digits);
	for (size_t i = 0; i < N * K; i++)
		b[i] = exact ? rint(uniform() * 8) : short_number(digits);
	for (size_t k = 0; k < K / BLOCK; k++) {
		for (size_t i = 0; i < M; i++)
			scale_a[i][k] = exact ? 2 : (float)(1.5 + 0.5 * uniform());
		for (size_t j = 0; j < N; j++)
			scale_b[j][k] = exact ? 0.5f : (float)(1.5 + 0.5 * uniform());
	}
	scale();
}

/* A kernel: blocks in order or reversed, one or four chains in a block, rounding as fenv says. */
struct kernel {
	int rounding;
	bool reversed, four, scales_apart;
};

static float multiply(const struct kernel *x, size_t i, size_t j, size_t lost) {
	volatile float all = 0;
	for (size_t t = 0; t < K / BLOCK; t++) {
		size_t block = x->reversed ? K / BLOCK - 1 - t : t;
		volatile float chain[4] = { 0 }, sum, factor;
		for (size_t s = 0; s < BLOCK; s++) {
			size_t k = block * BLOCK + s;
			if (k != lost)
				chain[x->four ? s % 4 : 0] +=
					(float)a[i * K + k] * (float)b[j * K + k];
		}
		sum = (chain[0] + chain[1]) + (chain[2] + chain[3]);
		if (x->scales_apart) {
			sum *= scale_a[i][block];
			sum *= scale_b[j][block];
		} else {
			factor = scale_a[i][block] * scale_b[j][block];
			sum *= factor;
		}
		all += sum;
	}
	return all;
}

static const struct kernel kernels[] = {
	{ FE_TONEAREST, false, false, false },
	{ FE_TONEAREST, true, true, true },
	{ FE_TOWARDZERO, false, false, true },
	{ FE_TOWARDZERO, true, true, false },
};

/* The largest share of the bound that the kernels use; elements with bound 0 must be equal. */
static double largest_share(size_t lost) {
	double most = 0;
	for (size_t x = 0; x < sizeof kernels / sizeof *kernels; x++) {
		for (size_t i = 0; i < M * N; i++) {
			fesetround(kernels[x].rounding);
			float got = multiply(&kernels[x], i / N, i % N, lost);
			fesetround(FE_TONEAREST);
			double e = fabs((double)got - value[i]);
			most = fmax(most, e == 0 ? 0 : e / bound[i]);
		}
	}
	return most;
}

static struct exact_scaled scaled(void) {
	return (struct exact_scaled){
		M, N, K, { scaled_a, size_a }, { scaled_b, size_b }, EXACT_IN_F32, 2, NULL
	};
}

static void products_are_within_their_bound(void) {
	struct exact_scaled p = scaled();
	for (int digits = 2; digits <= 11; digits += 3) {
		draw(digits, false);
		ok(exact_scaled(&p, value, bound) == EXACT_OK && largest_share(K) <= 1,
		   "products of %d digits are within the bound in every order", digits);
		ok(largest_share(17) > 1, "and without one term they are not");
	}
	draw(0, true);
	bool zero = exact_scaled(&p, value, bound) == EXACT_OK;
	for (size_t i = 0; i < M * N; i++)
		zero &= bound[i] == 0;
	ok(zero && largest_share(K) == 0, "integers with scales of powers of two have bound 0");
	scale_a[0][0] = 3;
	scale();
	ok(exact_scaled(&p, value, bound) == EXACT_OK && bound[0] == 0 && largest_share(K) == 0,
	   "a scale with few digits keeps it");
	a[0] = 0x1p-20;
	scale();
	ok(exact_scaled(&p, value, bound) == EXACT_OK && bound[0] > 0 && bound[N] == 0,
	   "a term that is far smaller ends it, in its row");
}

static void terms_of_a_product(void) {
	double bias[N];
	struct exact_scaled p = scaled();
	draw(0, true);
	for (size_t j = 0; j < N; j++)
		bias[j] = (double)j - 3;
	p.bias = bias;
	exact_scaled(&p, value, bound);
	double without = value[1];
	p.bias = NULL;
	exact_scaled(&p, value, bound);
	ok(without - value[1] == bias[1], "a bias is added to each column");
	for (size_t j = 0; j < N; j++)
		bias[j] = 0.1;
	p.bias = bias;
	exact_scaled(&p, value, bound);
	ok(bound[0] > 0 && bound[0] <= 0x1p-22 * (fabs(value[0]) + 1), "and rounds once");
	p = scaled();
	p.in = EXACT_IN_I32;
	p.scalings = 1;
	for (size_t i = 0; i < M * K; i++)
		scaled_a[i] = size_a[i] = 127;
	for (size_t i = 0; i < N * K; i++)
		scaled_b[i] = size_b[i] = 1265.5;
	exact_scaled(&p, value, bound);
	ok(bound[0] > value[0] * 0x1p-23 && bound[0] < value[0] * 0x1.01p-22,
	   "a long sum of integers rounds when it is converted and scaled, whatever K is");
	p = scaled();
	p.k = (1 << 20) + 1;
	ok(exact_scaled(&p, value, bound) == EXACT_BAD_SHAPE, "a K of more than 2^20 is refused");
}

/* ---- softmax ---- */

enum { KEYS = 83, TILE = 16, DEPTH = 24, WIDTH = 3 };

/* Online: a running maximum over tiles, base 2. */
static void softmax_in_tiles(const float *x, size_t n, float *y) {
	float most = -INFINITY, sum = 0;
	for (size_t from = 0; from < n; from += TILE) {
		float now = most;
		for (size_t j = from; j < n && j < from + TILE; j++)
			now = fmaxf(now, x[j]);
		sum *= exp2f((most - now) * 1.44269504f);
		for (size_t j = from; j < n && j < from + TILE; j++)
			sum += exp2f((x[j] - now) * 1.44269504f);
		most = now;
	}
	for (size_t j = 0; j < n; j++)
		y[j] = exp2f((x[j] - most) * 1.44269504f) / sum;
}

static void softmax_is_within_its_bound(void) {
	float x[KEYS], y[KEYS];
	double wide[KEYS], want[KEYS], e[KEYS];
	for (int size = 1; size <= 64; size *= 8) {
		bool within = true, tight = true;
		for (size_t j = 0; j < KEYS; j++)
			wide[j] = (double)(x[j] = (float)(uniform() * size));
		exact_softmax(1, KEYS, wide, want, e);
		softmax_in_tiles(x, KEYS, y);
		for (size_t j = 0; j < KEYS; j++) {
			within &= fabs((double)y[j] - want[j]) <= e[j];
			tight &= e[j] <= want[j] * (size + 10) * 0x1p-16 + 0x1p-120;
		}
		ok(within, "softmax of scores up to %d is within its bound", size);
		ok(tight, "which is small");
		softmax_in_tiles(x, KEYS - 1, y);
		ok(fabs((double)y[0] - want[0]) > e[0] || want[KEYS - 1] < e[0],
		   "a lost score is not, unless it has no weight");
	}
}

/* ---- norms ---- */

enum way { TWO_PASSES, ONE_PASS, SHIFTED, WAYS };

/* Layer norm, or RMS norm: sums in order or from the end, rounding as fenv says. The variance is
 * divided by n less `less`. */
static void norm_in(enum way way, bool centred, bool reversed, size_t less, const float *x,
                    const float *w, const float *b, float eps, float *y) {
	volatile float sum = 0, squares = 0, mean = 0, v, r, s, t;
	for (size_t i = 0; i < KEYS; i++)
		sum += x[reversed ? KEYS - 1 - i : i];
	if (centred)
		mean = sum * (1.0f / KEYS);
	for (size_t i = 0; i < KEYS; i++) {
		float c = x[reversed ? KEYS - 1 - i : i] - (way == TWO_PASSES ? mean : 0);
		squares += c * c;
	}
	v = squares / (float)(KEYS - less) - (way == TWO_PASSES ? 0 : mean * mean);
	v += eps;
	r = 1 / sqrtf(v);
	for (size_t i = 0; i < KEYS; i++) {
		s = r * w[i];
		t = b[i] - mean * s;
		y[i] = way == SHIFTED ? x[i] * s + t : (x[i] - mean) * r * w[i] + b[i];
	}
}

static double norm_share(const struct exact_norm *p, const float *x, const float *w, const float *b,
                         size_t less) {
	double want[KEYS], e[KEYS], most = 0;
	float y[KEYS];
	exact_norm(p, want, e);
	for (int k = 0; k < 4 * WAYS; k++) {
		fesetround(k & 1 ? FE_TOWARDZERO : FE_TONEAREST);
		norm_in((enum way)(k / 4), p->centred, k & 2, less, x, w, b, (float)p->eps, y);
		fesetround(FE_TONEAREST);
		for (size_t i = 0; i < KEYS; i++)
			most = fmax(most, fabs((double)y[i] - want[i]) / e[i]);
	}
	return most;
}

static void norms_are_within_their_bound(void) {
	float x[KEYS], w[KEYS], b[KEYS];
	double wide_x[KEYS], wide_w[KEYS], wide_b[KEYS], y[KEYS], e[KEYS];
	struct exact_norm p = { 1, KEYS, wide_x, wide_w, wide_b, (double)0.001f, true };
	for (int mean = 0; mean <= 4; mean += 2) {
		for (size_t i = 0; i < KEYS; i++) {
			wide_x[i] = (double)(x[i] = (float)(uniform() + mean));
			wide_w[i] = (double)(w[i] = (float)uniform());
			wide_b[i] = (double)(b[i] = (float)uniform());
		}
		ok(norm_share(&p, x, w, b, 0) <= 1,
		   "layer norm around %d is within its bound in one pass, in two, and as x s + t",
		   mean);
		ok(norm_share(&p, x, w, b, 1) > 1, "the variance of a sample is not");
		p.bias = NULL;
		ok(norm_share(&p, x, w, b, 0) > 1, "nor is a bias too much");
		p.bias = wide_b;
	}
	memset(b, 0, sizeof b);
	p = (struct exact_norm){ 1, KEYS, wide_x, wide_w, NULL, (double)0.001f, false };
	ok(norm_share(&p, x, w, b, 0) <= 1, "RMS norm is within its bound");
	p.centred = true;
	for (size_t i = 0; i < KEYS; i++)
		wide_x[i] = 1e6 + (double)x[i];
	exact_norm(&p, y, e);
	ok(isinf(e[0]), "a row whose mean swallows its variance has no bound");
}

/* ---- a mixture of experts ---- */

enum { TOKENS = 4, INNER = 96, OUT = 5 };

static float moe_x[TOKENS][DEPTH], moe_w1[2 * INNER][DEPTH], moe_w2[OUT][INNER];
static double wide_moe_x[TOKENS * DEPTH], wide_w1[2 * INNER * DEPTH], wide_w2[OUT * INNER];
static double size_x[TOKENS * DEPTH], size_w1[2 * INNER * DEPTH], size_w2[OUT * INNER];

static void draw_floats(size_t n, float *x, double *wide, double *size) {
	for (size_t i = 0; i < n; i++) {
		wide[i] = (double)(x[i] = (float)short_number(8));
		size[i] = fabs(wide[i]);
	}
}

static void draw_expert(void) {
	draw_floats(TOKENS * DEPTH, moe_x[0], wide_moe_x, size_x);
	draw_floats(2 * INNER * DEPTH, moe_w1[0], wide_w1, size_w1);
	draw_floats(OUT * INNER, moe_w2[0], wide_w2, size_w2);
}

/* h in f32, its sums from either end; exp in base 2, the quotient by a reciprocal. */
static void gate_in(bool reversed, size_t lost, size_t token, float *h) {
	for (size_t i = 0; i < INNER; i++) {
		volatile float g = 0, u = 0, e, r;
		for (size_t k = 0; k < DEPTH; k++) {
			size_t d = reversed ? DEPTH - 1 - k : k;
			g += d == lost ? 0 : moe_x[token][d] * moe_w1[i][d];
			u += moe_x[token][d] * moe_w1[INNER + i][d];
		}
		e = g * -1.44269504f;
		e = 1 + exp2f(e);
		r = 1 / e;
		h[i] = g * r;
		h[i] *= u;
	}
}

static struct exact_expert expert(void) {
	return (struct exact_expert){
		TOKENS, DEPTH, INNER, { wide_moe_x, size_x }, { wide_w1, size_w1 }, EXACT_IN_F32, 0
	};
}

static double gate_share(size_t lost) {
	static double h[TOKENS * INNER], e[TOKENS * INNER];
	struct exact_expert p = expert();
	float got[INNER];
	double most = 0;
	exact_gated(&p, h, e);
	for (size_t k = 0; k < 4 * TOKENS; k++) {
		fesetround(k & 1 ? FE_TOWARDZERO : FE_TONEAREST);
		gate_in(k & 2, lost, k / 4, got);
		fesetround(FE_TONEAREST);
		for (size_t i = 0; i < INNER; i++) {
			size_t at = k / 4 * INNER + i;
			most = fmax(most, fabs((double)got[i] - h[at]) / e[at]);
		}
	}
	return most;
}

/* E2M1, or E4M3 if the limit is 448, by a search: the nearest magnitude, of two the one with an
 * even code; the least power of two above amax / limit. */
static void narrow(size_t n, double limit, double *x) {
	double codes[127];
	static const double of_e2m1[] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };
	double amax = 0, unit = 0x1p-60;
	size_t n_codes = limit == 448 ? 127 : 8;
	for (uint8_t c = 0; c < n_codes; c++)
		codes[c] = limit == 448 ? mx_value(MX_DT_E4M3, &c, 0) : of_e2m1[c];
	for (size_t i = 0; i < n; i++)
		amax = fmax(amax, fabs(x[i]));
	while (unit * limit <= amax)
		unit *= 2;
	for (size_t i = 0; i < n; i++) {
		size_t best = 0;
		for (size_t c = 1; c < n_codes; c++) {
			double now = fabs(fabs(x[i]) / unit - codes[best]),
			       next = fabs(fabs(x[i]) / unit - codes[c]);
			best = next < now || (next == now && c % 2 == 0) ? c : best;
		}
		x[i] = copysign(unit * codes[best], x[i]);
	}
}

static void conversions_cover_what_errors_change(void) {
	static const double limits[] = { 8, 7, 6 };
	for (size_t l = 0; l < 3; l++) {
		struct exact_inner f = { EXACT_BLOCKS_E2M1, .limit = limits[l] };
		bool same = true, within = true;
		size_t open = 0, other = 0;
		for (size_t round = 0; round < 200; round++) {
			double h[32], e[32], plain[32], near[32], more[32];
			for (size_t i = 0; i < 32; i++)
				h[i] = more[i] = uniform() + (i ? 0 : 2), e[i] = 0;
			memcpy(plain, h, sizeof h);
			memcpy(near, h, sizeof h);
			narrow(32, limits[l], plain);
			exact_narrowed(&f, 1, 32, h, e);
			for (size_t i = 0; i < 32; i++)
				same &= h[i] == plain[i] && e[i] == 0;
			for (size_t i = 0; i < 32; i++) {
				near[i] += 0.01 * uniform();
				h[i] = more[i], e[i] = 0.01;
			}
			narrow(32, limits[l], near);
			exact_narrowed(&f, 1, 32, h, e);
			narrow(32, limits[(l + 1) % 3], more);
			for (size_t i = 0; i < 32; i++) {
				within &= fabs(near[i] - h[i]) <= e[i];
				open += e[i] > 0;
				other += fabs(more[i] - h[i]) > e[i];
			}
		}
		ok(same, "E2M1 by limit %g is one value where nothing is wrong", limits[l]);
		ok(within && open > 0 && open < 3200,
		   "h that is wrong by 0.01 is within the bound, which is 0 far from ties");
		ok(other > 0, "another recipe is not within it");
	}
	double h[1] = { 1.75 }, e[1] = { 0.25 };
	exact_narrowed(&(struct exact_inner){ .digits = 8 }, 1, 1, h, e);
	ok(h[0] == 1.75 && e[0] == 0.25 + 0x1p-6, "bf16 adds an ulp");
}

static void experts_are_within_their_bound(void) {
	static double h[TOKENS * INNER], e[TOKENS * INNER], y[TOKENS * OUT], y_e[TOKENS * OUT];
	struct exact_expert p = expert();
	float got[INNER];
	draw_expert();
	ok(gate_share(DEPTH) <= 1, "silu of one product times the other is within its bound");
	ok(gate_share(3) > 1, "without a term it is not");
	exact_gated(&p, h, e);
	struct exact_inner f = { EXACT_BLOCKS_E2M1, .limit = 6 };
	exact_narrowed(&f, TOKENS, INNER, h, e);
	exact_down(TOKENS, OUT, INNER, h, e, (struct exact_factor){ wide_w2, size_w2 }, 0, y, y_e);
	bool within = true, beyond = false;
	for (size_t i = 0; i < TOKENS * OUT; i++) {
		double q[INNER];
		volatile float sum = 0, wrong = 0;
		gate_in(i & 1, DEPTH, i / OUT, got);
		for (size_t k = 0; k < INNER; k++)
			q[k] = (double)got[k];
		for (size_t k = 0; k < INNER; k += 32)
			narrow(32, 6, q + k);
		for (size_t k = 0; k < INNER; k++) {
			sum += (float)q[k] * moe_w2[i % OUT][k];
			wrong += got[k] * moe_w2[i % OUT][k];
		}
		within &= fabs((double)sum - y[i]) <= y_e[i];
		beyond |= fabs((double)wrong - y[i]) > y_e[i];
	}
	ok(within, "the second product of h in E2M1 is within its bound");
	ok(beyond, "that of h in f32 is not");
}

/* ---- attention ---- */

static double cut_to(double x, int digits) {
	int exponent;
	double fraction = frexp(x, &exponent);
	return ldexp(trunc(ldexp(fraction, digits)), exponent - digits);
}

static float q[DEPTH], k[KEYS][DEPTH], v[KEYS][WIDTH];
static double wide_q[DEPTH], wide_k[KEYS * DEPTH], wide_v[KEYS * WIDTH];

static void draw_attention(void) {
	for (size_t d = 0; d < DEPTH; d++)
		wide_q[d] = (double)(q[d] = (float)(3 * short_number(8)));
	for (size_t i = 0; i < KEYS * DEPTH; i++)
		wide_k[i] = (double)(k[i / DEPTH][i % DEPTH] = (float)short_number(8));
	for (size_t i = 0; i < KEYS * WIDTH; i++)
		wide_v[i] = (double)(v[i / WIDTH][i % WIDTH] = (float)short_number(8));
}

/* One query, tiles of keys, weights cut to some digits for V; their sum before or after that. */
static void attend(float scale, size_t keys, int digits, bool cut_sum, float out[WIDTH],
                   float *lse) {
	float most = -INFINITY, sum = 0, s[TILE];
	memset(out, 0, WIDTH * sizeof *out);
	for (size_t from = 0; from < keys; from += TILE) {
		size_t n = keys - from < TILE ? keys - from : TILE;
		float now = most;
		for (size_t j = 0; j < n; j++) {
			s[j] = 0;
			for (size_t d = 0; d < DEPTH; d++)
				s[j] += q[d] * k[from + j][d];
			s[j] *= scale;
			now = fmaxf(now, s[j]);
		}
		float old = exp2f((most - now) * 1.44269504f);
		sum *= old;
		for (size_t c = 0; c < WIDTH; c++)
			out[c] *= old;
		for (size_t j = 0; j < n; j++) {
			float w = exp2f((s[j] - now) * 1.44269504f);
			float p = (float)cut_to((double)w, digits);
			sum += cut_sum ? p : w;
			for (size_t c = 0; c < WIDTH; c++)
				out[c] += p * v[from + j][c];
		}
		most = now;
	}
	for (size_t c = 0; c < WIDTH; c++)
		out[c] /= sum;
	*lse = most + logf(sum);
}

static void attention_is_within_its_bound(void) {
	for (int digits = 4; digits <= 24; digits += 4) {
		struct exact_attention p = {
			.queries = 1,
			.keys = KEYS,
			.depth = DEPTH,
			.width = WIDTH,
			.q = wide_q,
			.k = wide_k,
			.v = wide_v,
			.scale = (double)0.3f,
			.p = { .digits = digits },
		};
		double o[WIDTH], e[WIDTH], lse, lse_e;
		float out[WIDTH], l;
		draw_attention();
		exact_attention(&p, o, e, &lse, &lse_e);
		for (int cut_sum = 0; cut_sum < 2; cut_sum++) {
			bool within = true;
			attend(0.3f, KEYS, digits, cut_sum, out, &l);
			for (size_t c = 0; c < WIDTH; c++)
				within &= fabs((double)out[c] - o[c]) <= e[c];
			ok(within && fabs((double)l - lse) <= lse_e,
			   "weights of %d digits, %s: O and LSE are within their bounds", digits,
			   cut_sum ? "also in the sum" : "not in the sum");
		}
		attend(0.3f, KEYS - 1, 24, false, out, &l);
		ok(digits < 16 || fabs((double)l - lse) > lse_e, "a key less is not");
		attend(0.31f, KEYS, 24, false, out, &l);
		ok(digits < 12 || fabs((double)out[0] - o[0]) > e[0], "nor another scale");
	}
}

/* One query, tiles of two blocks: as above, with the weights of each block converted. The maximum
 * is replaced if it grows by more than `lazy` powers of two. */
enum { TWO_BLOCKS = 64 };
static void attend_in_blocks(double limit, float scale, float lazy, bool rescales,
                             float out[WIDTH]) {
	float most = -INFINITY, sum = 0, s[KEYS];
	memset(out, 0, WIDTH * sizeof *out);
	for (size_t from = 0; from < KEYS; from += TWO_BLOCKS) {
		size_t n = KEYS - from < TWO_BLOCKS ? KEYS - from : TWO_BLOCKS;
		float now = most;
		double p[TWO_BLOCKS];
		for (size_t j = 0; j < n; j++) {
			s[j] = 0;
			for (size_t d = 0; d < DEPTH; d++)
				s[j] += q[d] * k[from + j][d];
			s[j] *= scale;
			now = fmaxf(now, s[j]);
		}
		if ((now - most) * 1.44269504f <= lazy)
			now = most;
		float old = exp2f((most - now) * 1.44269504f);
		sum *= old;
		for (size_t c = 0; c < WIDTH; c++)
			out[c] *= rescales ? old : 1;
		for (size_t j = 0; j < n; j++) {
			float w = exp2f((s[j] - now) * 1.44269504f);
			sum += w;
			p[j] = (double)w;
		}
		for (size_t j = 0; j < n; j += 32)
			narrow(n - j < 32 ? n - j : 32, limit, p + j);
		for (size_t j = 0; j < n; j++)
			for (size_t c = 0; c < WIDTH; c++)
				out[c] += (float)p[j] * v[from + j][c];
		most = now;
	}
	for (size_t c = 0; c < WIDTH; c++)
		out[c] /= sum;
}

static void weights_in_blocks(enum exact_blocks blocks, double limit, const char *name) {
	struct exact_attention p = {
		.queries = 1,
		.keys = KEYS,
		.depth = DEPTH,
		.width = WIDTH,
		.q = wide_q,
		.k = wide_k,
		.v = wide_v,
		.scale = (double)0.3f,
		.p = { blocks, .limit = limit },
		.tile = TWO_BLOCKS,
	};
	size_t within = 0, tight = 0, kept = 0, whole = 0;
	enum { ROUNDS = 40 };
	for (size_t round = 0; round < ROUNDS; round++) {
		double o[WIDTH], e[WIDTH], lse, lse_e, size = 0, wide = 0;
		float out[WIDTH], l;
		draw_attention();
		exact_attention(&p, o, e, &lse, &lse_e);
		attend_in_blocks(limit, 0.3f, 0, true, out);
		for (size_t c = 0; c < WIDTH; c++) {
			within += fabs((double)out[c] - o[c]) <= e[c];
			size += fabs(o[c]);
			wide += e[c];
		}
		tight += wide < size;
		attend_in_blocks(limit, 0.3f, 0, false, out);
		kept += fabs((double)out[0] - o[0]) > e[0];
		attend(0.3f, KEYS, 24, false, out, &l);
		whole += fabs((double)out[0] - o[0]) > e[0];
	}
	ok(within == ROUNDS * WIDTH, "weights in blocks of %s: O is within its bound", name);
	ok(tight == ROUNDS, "  which is less than O");
	ok(kept > 0, "  without the rescaling for a larger maximum it is not");
	ok(whole > 0, "  nor with weights that are not converted");
}

static struct exact_attention lazy_attention(double scale, double lazy) {
	return (struct exact_attention){ .queries = 1,
		                         .keys = KEYS,
		                         .depth = DEPTH,
		                         .width = WIDTH,
		                         .q = wide_q,
		                         .k = wide_k,
		                         .v = wide_v,
		                         .scale = scale,
		                         .p = { EXACT_BLOCKS_E4M3, .limit = 448 },
		                         .tile = TWO_BLOCKS,
		                         .lazy = lazy };
}

/* A maximum that is kept while it grows by little. The larger scale makes some grow by much. */
static void maxima_are_kept(double lazy, float scale) {
	struct exact_attention p = lazy_attention((double)scale, lazy);
	size_t within = 0, eager = 0, kept = 0;
	enum { ROUNDS = 40 };
	for (size_t round = 0; round < ROUNDS; round++) {
		double o[WIDTH], e[WIDTH], lse, lse_e;
		float out[WIDTH];
		draw_attention();
		exact_attention(&p, o, e, &lse, &lse_e);
		attend_in_blocks(448, scale, (float)lazy, true, out);
		for (size_t c = 0; c < WIDTH; c++)
			within += fabs((double)out[c] - o[c]) <= e[c];
		attend_in_blocks(448, scale, 0, true, out);
		eager += fabs((double)out[0] - o[0]) > e[0];
		attend_in_blocks(448, scale, (float)lazy, false, out);
		kept += fabs((double)out[0] - o[0]) > e[0];
	}
	ok(within == ROUNDS * WIDTH, "maxima kept up to 2^%g: O is within its bound", lazy);
	ok(eager > 0, "  with maxima that are replaced it is not");
	ok(kept > 0, "  nor without the rescaling");
}

/* The second tile has a score that exceeds the first maximum by what it may, but for rounding. */
static void an_undecided_maximum_has_no_bound(void) {
	struct exact_attention p = lazy_attention(1, 8);
	double o[WIDTH], e[WIDTH], lse, lse_e, grows[] = { 0.99, 1, 1.01 };
	draw_attention();
	memset(wide_k, 0, sizeof wide_k);
	wide_q[0] = 1;
	for (size_t i = 0; i < 3; i++) {
		wide_k[TWO_BLOCKS * DEPTH] = grows[i] * 8 * M_LN2;
		exact_attention(&p, o, e, &lse, &lse_e);
		ok((e[0] > 0x1p100) == (i == 1), "a maximum that grows by %g of what is kept: %s",
		   grows[i], i == 1 ? "no bound" : "a bound");
	}
}

static void masks_leave_keys_out(void) {
	double o[3 * WIDTH], e[3 * WIDTH], lse[3], lse_e[3], one[WIDTH], first;
	double three[3 * DEPTH];
	for (size_t i = 0; i < 3 * DEPTH; i++)
		three[i] = wide_q[i % DEPTH];
	struct exact_attention p = { .queries = 3,
		                     .keys = 2,
		                     .depth = DEPTH,
		                     .width = WIDTH,
		                     .q = three,
		                     .k = wide_k,
		                     .v = wide_v,
		                     .scale = 1,
		                     .p = { .digits = 24 },
		                     .mask = EXACT_CAUSAL_TOP };
	exact_attention(&p, o, e, lse, lse_e);
	ok(fabs(o[0] - wide_v[0]) <= 0x1p-40 && lse[1] == lse[2],
	   "causal from the top: the first query has one key");
	first = lse[0];
	p.mask = EXACT_CAUSAL_BOTTOM;
	exact_attention(&p, o, e, lse, lse_e);
	ok(lse[0] == -INFINITY && o[0] == 0 && e[0] == 0 && lse[1] == first,
	   "from the bottom: the first of three queries on two keys has none");
	p.queries = 1;
	p.mask = EXACT_NO_MASK;
	exact_attention(&p, one, e, lse, lse_e);
	ok(lse[0] > first, "without a mask all keys count");
}

enum { QUERIES = 70, HEAD = 40 };

static bool is_near(size_t n, const double *x, const double *y) {
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i] && !(fabs(x[i] - y[i]) <= 0x1p-40 * (1 + fabs(y[i]))))
			return diag("%zu: %.17g, and %.17g", i, x[i], y[i]), false;
	return true;
}

/* Many queries are computed by products of matrices, one by a loop over the keys. */
static void queries_together_are_as_one_by_one(enum exact_mask mask, const char *name) {
	static double q[QUERIES * HEAD], k[KEYS * HEAD], v[KEYS * WIDTH], o[QUERIES * WIDTH],
		e[QUERIES * WIDTH], lse[QUERIES], lse_e[QUERIES];
	for (size_t i = 0; i < QUERIES * HEAD; i++)
		q[i] = short_number(8);
	for (size_t i = 0; i < KEYS * HEAD; i++)
		k[i] = short_number(8);
	for (size_t i = 0; i < KEYS * WIDTH; i++)
		v[i] = short_number(8);
	struct exact_attention p = { .queries = QUERIES,
		                     .keys = KEYS,
		                     .depth = HEAD,
		                     .width = WIDTH,
		                     .q = q,
		                     .k = k,
		                     .v = v,
		                     .scale = 0.3,
		                     .p = { .digits = 8 },
		                     .mask = mask };
	bool good = exact_attention(&p, o, e, lse, lse_e) == EXACT_OK;
	for (size_t i = 0; good && i < QUERIES; i++) {
		double one[WIDTH], one_e[WIDTH], l, l_e;
		struct exact_attention single = p;
		single.queries = 1;
		single.q = q + i * HEAD;
		single.mask = EXACT_NO_MASK;
		if (mask == EXACT_CAUSAL_TOP)
			single.keys = i + 1 < KEYS ? i + 1 : KEYS;
		good = exact_attention(&single, one, one_e, &l, &l_e) == EXACT_OK &&
		       is_near(WIDTH, o + i * WIDTH, one) && is_near(1, &lse[i], &l) &&
		       (mask != EXACT_NO_MASK ||
		        (is_near(WIDTH, e + i * WIDTH, one_e) && is_near(1, &lse_e[i], &l_e)));
	}
	ok(good, "%d queries together are as one by one, %s", QUERIES, name);
}

/* By the definition: 4 or 5 exponent bits, bias 8 or 16. */
static void fnuz_has_its_own_bias(void) {
	static const uint8_t codes[] = { 0x40, 0x7f, 0x01, 0xc0, 0x80, 0x00, 0x09 };
	static const double e4m3[] = { 1, 240, 0x1p-10, -1, NAN, 0, 0x1.2p-7 };
	static const double e5m2[] = { 1, 57344, 0x1p-17, -1, NAN, 0, 0x1.4p-14 };
	for (size_t i = 0; i < sizeof codes; i++) {
		double x = mx_value(MX_DT_E4M3FNUZ, codes, i),
		       y = mx_value(MX_DT_E5M2FNUZ, codes, i);
		ok((x == e4m3[i] || (isnan(x) && isnan(e4m3[i]))) &&
		           (y == e5m2[i] || (isnan(y) && isnan(e5m2[i]))),
		   "code 0x%02x of FNUZ is %g and %g", codes[i], x, y);
	}
	ok(mx_least_normal(MX_DT_E4M3FNUZ) == 0x1p-7 && mx_least_normal(MX_DT_BF16) == 0x1p-126 &&
	           mx_unit_in_last_place(MX_DT_BF16, 1.5) == 0x1p-7 &&
	           mx_unit_in_last_place(MX_DT_F16, 0) == 0x1p-24 &&
	           mx_unit_in_last_place(MX_DT_I32, 100) == 1,
	   "types have their smallest normal number and their units in the last place");
}

static void e5m3_has_no_sign(void) {
	static const uint8_t codes[] = { 0x78, 0x80, 0x01, 0x07, 0x08, 0xfe };
	static const double of[] = { 1, 2, 0x1p-17, 0x1.cp-15, 0x1p-14, 114688 };
	unsigned same = 0;
	for (size_t i = 0; i < sizeof codes; i++)
		same += mx_value(MX_DT_E5M3, codes, i) == of[i];
	ok(same == sizeof codes && isnan(mx_value(MX_DT_E5M3, (const uint8_t[]){ 0xff }, 0)),
	   "E5M3 has five bits of exponent and no sign, and 0xff is NaN");
}

/* Codes of 4 and 6 bits are packed, the low bits first. */
static void packed_codes_have_their_values(void) {
	static const uint8_t fours[] = { 0x2f, 0xd1 };       /* 15, 2, 1, 13 */
	static const uint8_t sixes[] = { 0x5f, 0x88, 0xfc }; /* 31, 33, 8, 63 in E2M3 */
	static const double of_four[] = { -6, 1, 0.5, -3 }, of_six[] = { 7.5, -0.125, 1, -7.5 };
	static const uint8_t scales[] = { 0, 127, 130, 254 };
	static const double of_scale[] = { 0x1p-127, 1, 8, 0x1p127 };
	for (size_t i = 0; i < 4; i++)
		ok(mx_value(MX_DT_E2M1, fours, i) == of_four[i] &&
		           mx_value(MX_DT_E2M3, sixes, i) == of_six[i] &&
		           mx_value(MX_DT_E8M0, scales, i) == of_scale[i],
		   "values of code %zu of E2M1, E2M3 and E8M0", i);
	ok(isnan(mx_value(MX_DT_E8M0, (const uint8_t[]){ 0xFF }, 0)), "the scale 0xFF is NaN");
	static const uint16_t bf16[] = { 0x3fc0, 0xff80, 0x8001 };
	static const double of_bf16[] = { 1.5, -INFINITY, -0x1p-133 };
	static const float f32[] = { 1.5f, -INFINITY, -0x1p-149f };
	for (size_t i = 0; i < 3; i++)
		ok(mx_value(MX_DT_BF16, (const uint8_t *)bf16, i) == of_bf16[i] &&
		           mx_value(MX_DT_F32, (const uint8_t *)f32, i) == (double)f32[i],
		   "value %zu of bf16 and f32", i);
}

int main(void) {
	fnuz_has_its_own_bias();
	e5m3_has_no_sign();
	packed_codes_have_their_values();
	products_are_within_their_bound();
	terms_of_a_product();
	softmax_is_within_its_bound();
	norms_are_within_their_bound();
	conversions_cover_what_errors_change();
	experts_are_within_their_bound();
	attention_is_within_its_bound();
	weights_in_blocks(EXACT_BLOCKS_E4M3, 448, "E4M3");
	weights_in_blocks(EXACT_BLOCKS_E2M1, 6, "E2M1");
	maxima_are_kept(1, 0.3f);
	maxima_are_kept(8, 6);
	an_undecided_maximum_has_no_bound();
	masks_leave_keys_out();
	queries_together_are_as_one_by_one(EXACT_NO_MASK, "all keys");
	queries_together_are_as_one_by_one(EXACT_CAUSAL_TOP, "causal");
	return done_testing();
}
