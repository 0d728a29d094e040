/* alpha, beta and bias, by exact sums of products. */
#include "inside.h"

#define ONE           0x3f800000u
#define NEGATIVE_ZERO 0x80000000u

/* An addend x * y. */
struct addend {
	uint32_t x, y;
};

static bool is_zero(struct addend p) {
	return !(p.x & ~NEGATIVE_ZERO) || !(p.y & ~NEGATIVE_ZERO);
}

static bool is_negative(struct addend p) {
	return (p.x ^ p.y) & NEGATIVE_ZERO;
}

static unsigned special(struct addend p) {
	unsigned either = exact_f32_special(p.x) | exact_f32_special(p.y);
	if (either & EXACT_SEEN_NAN)
		return EXACT_SEEN_NAN;
	if (either && is_zero(p))
		return EXACT_SEEN_NAN;
	return !either ? 0 : is_negative(p) ? EXACT_SEEN_MINUS_INF : EXACT_SEEN_PLUS_INF;
}

/* The sum of n addends, rounded once, or to odd. One addend is a product; two, one of them times 1,
 * are an fma. */
static uint32_t sum_of(const struct addend *p, size_t n, bool odd) {
	enum { MOST = 3 };
	struct exact_term t[MOST + 1];
	bool negative_zeros = true;
	unsigned seen = 0;
	for (size_t i = 0; i < n; i++)
		seen |= special(p[i]);
	if (seen)
		return exact_special_sum(seen);
	for (size_t i = 0; i < n; i++) {
		struct exact_term x = exact_f32_term(p[i].x), y = exact_f32_term(p[i].y);
		t[i] = (struct exact_term){ x.sig * y.sig, x.exp + y.exp };
		negative_zeros &= is_zero(p[i]) && is_negative(p[i]);
	}
	if (negative_zeros)
		return NEGATIVE_ZERO;
	return odd ? exact_sum_odd(t, n) : exact_sum(t, n);
}

static uint32_t product(uint32_t x, uint32_t y) {
	return sum_of((struct addend[]){ { x, y } }, 1, false);
}

static uint32_t fma_of(uint32_t x, uint32_t y, uint32_t add) {
	return sum_of((struct addend[]){ { x, y }, { add, ONE } }, 2, false);
}

static uint32_t without_bias(const struct exact_epilogue *e, uint32_t acc, const uint32_t *c) {
	if (!c)
		return product(e->alpha, acc);
	switch (e->order) {
	case EXACT_FMA_BETA: return fma_of(e->beta, *c, product(e->alpha, acc));
	case EXACT_FMA_ALPHA: return fma_of(e->alpha, acc, product(e->beta, *c));
	default: break;
	}
	return fma_of(product(e->beta, *c), ONE, product(e->alpha, acc));
}

/* c, bias: NULL if absent. */
static uint32_t element(const struct exact_epilogue *e, uint32_t acc, const uint32_t *c,
                        const uint32_t *bias) {
	struct addend p[3] = { { e->alpha, acc } };
	size_t n = 1;
	if (e->order != EXACT_ONCE) {
		uint32_t z = without_bias(e, acc, c);
		return exact_narrow(bias ? fma_of(z, ONE, *bias) : z, e->output);
	}
	if (c)
		p[n++] = (struct addend){ e->beta, *c };
	if (bias)
		p[n++] = (struct addend){ *bias, ONE };
	return exact_narrow(sum_of(p, n, e->output != EXACT_F32), e->output);
}

const uint32_t *exact_epilogue_c(const struct exact_epilogue *e, size_t i, size_t j) {
	bool reads = e->c && (e->c_of_zero || e->beta & ~NEGATIVE_ZERO);
	return reads ? &e->c[i * e->ld_c + j] : NULL;
}

const uint32_t *exact_epilogue_bias(const struct exact_epilogue *e, size_t i, size_t j) {
	return e->bias ? e->bias + (e->bias_of_rows ? i : j) : NULL;
}

void exact_epilogue(const struct exact_epilogue *e, size_t m, size_t n, const uint32_t *acc,
                    uint32_t *out) {
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < n; j++)
			out[i * n + j] = element(e, acc[i * n + j], exact_epilogue_c(e, i, j),
			                         exact_epilogue_bias(e, i, j));
}
