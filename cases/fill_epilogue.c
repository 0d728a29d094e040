/* Data of the terms of an epilogue: C, an element at a time, and the bias, a line.
 *
 * Exact regime. A product is a multiple of u = 2^unit, at most S of them (fill_exact.c). With alpha
 * = a 2^ea and beta = b 2^eb, a and b odd, alpha acc is a multiple of v = 2^ea u. C's elements are
 * n 2^-eb v and the bias's n v, with integers n, so that every term is a multiple of v:
 *
 *     S a < 2^23,   n b <= 2^22 of C,   n <= 2^22 of the bias
 *
 * and their magnitudes sum to less than 2^24 v. Then every product and every partial sum, in any
 * order, fused or not, is exact in f32. An n has as many digits as the buffer's type, at a random
 * distance from v, so that some elements are large compared with the accumulator and some small.
 *
 * General regime: normal deviates times a power of two from 1 to 2^12, about the size of
 * accumulators. Special regime: the same, and for a quarter of the elements the ends of the type:
 * zeros, subnormals, the smallest normal, the largest, infinity and NaN. Every buffer has each of
 * them with both signs; with fewer than 14 free elements it has the first of this list. Elements of
 * planted results (results.def) are not free: they add -0 to the result, or the bias is the result.
 *
 * If beta is 0 and C is not read, C is NaN and infinities in every regime, so that 0 times C would
 * be visible. */
#include "dtype.h"
#include "epilogue.h"
#include "fill.h"

#include <math.h>
#include <string.h>

/* ---- types ---- */

static uint32_t code_of(mx_buffer_type type, float x) {
	mx_f32 bits;
	memcpy(&bits, &x, sizeof bits);
	switch (type) {
	case MX_DT_F16: return mx_f16_from_f32(bits).v;
	case MX_DT_BF16: return mx_bf16_from_f32(bits).v;
	default: return bits.v;
	}
}

/* ---- exact ---- */

struct dyadic epilogue_dyadic(float x) {
	int exp;
	uint32_t odd = (uint32_t)ldexpf(fabsf(frexpf(x, &exp)), 24);
	if (!odd)
		return (struct dyadic){ 1, 0 };
	int zeros = __builtin_ctz(odd);
	return (struct dyadic){ odd >> zeros, exp - 24 + zeros };
}

/* Elements are n 2^unit, with n a multiple of 2^low below 2^top. */
struct grid {
	int unit, low, top, digits;
};

static struct grid grid_of(const struct mx_plan *p, unsigned i, int unit) {
	const struct mx_epilogue *e = &p->epilogue;
	struct dtype_width w = dtype_width(p->buffers[i].type);
	struct grid g = { unit + epilogue_dyadic(e->alpha).exp, 0, EPILOGUE_TERM_BITS, w.digits };
	if ((int)i == e->c) {
		struct dyadic beta = epilogue_dyadic(e->beta);
		g.unit -= beta.exp;
		g.top -= (int)ceil(log2(beta.odd));
	}
	g.low = g.unit < w.low ? w.low - g.unit : 0;
	g.top = g.unit + g.top > w.high ? w.high - g.unit : g.top;
	return g;
}

static float draw_exact(const struct grid *g, struct draw d) {
	int room = g->top - g->low, digits = room < g->digits ? room : g->digits;
	int n = (int)draw_below(d.w[0], 1u << digits);
	int shift = g->low + (int)draw_below(d.w[1], (uint32_t)(room - digits) + 1);
	return ldexpf((float)(d.w[2] & 1 ? -n : n), g->unit + shift);
}

/* ---- general, special ---- */

enum { BLOCK_EXP = 12 };

static float draw_general(const struct dtype_width *w, struct draw d) {
	int exp = (int)draw_below(d.w[3], BLOCK_EXP + 1);
	int n = (int)(d.w[0] & 0xffff) + (int)(d.w[1] & 0xffff) + (int)(d.w[2] & 0xffff) +
	        (int)(d.w[0] >> 16) + (int)(d.w[1] >> 16) + (int)(d.w[2] >> 16) - 3 * 0xffff;
	int lost = w->digits < 19 ? 19 - w->digits : 0; /* |n| < 2^18: exact in the type */
	return ldexpf((float)(n / (1 << lost)), lost + exp - 15);
}

enum { ENDS = 7, FINITE_ENDS = 5 };

/* End i of the type; 0 is zero. */
static uint32_t end_at(const struct dtype_width *w, unsigned i, bool negative) {
	const uint32_t ends[ENDS] = {
		0, 1, w->one - 1, w->one, w->infinity - 1, w->infinity, w->infinity | w->one >> 1
	};
	uint32_t sign = w->infinity + w->one; /* the exponent field overflows into the sign */
	return ends[i] | (negative ? sign : 0);
}

/* One of the type's ends from `first` on. */
static uint32_t draw_end(const struct dtype_width *w, struct draw d, unsigned first) {
	return end_at(w, first + draw_below(d.w[0], ENDS - first), d.w[1] & 1);
}

/* Whether element (row, col) of buffer i belongs to a planted result; its value then. */
static bool is_planted(const struct mx_plan *p, unsigned i, const struct planted *all, size_t row,
                       size_t col, double *value) {
	mx_role role = p->buffers[i].role;
	bool is_c = (int)i == p->epilogue.c, found = false;
	*value = p->epilogue.beta > 0 || !is_c ? -0.0 : 0.0;
	for (size_t k = 0; k < all->n; k++) {
		if ((is_c || role == MX_ROLE_BIAS_ROWS) && all->at[k].row != row)
			continue;
		if ((is_c || role == MX_ROLE_BIAS_COLS) && all->at[k].col != col)
			continue;
		found = true;
		if (!is_c && all->at[k].side == (role == MX_ROLE_BIAS_COLS))
			*value = all->at[k].bias;
	}
	return found;
}

static void put(const struct mx_buffer *b, uint8_t *bytes, size_t row, size_t col, uint32_t code) {
	memcpy(bytes + mx_buffer_at(b, row, col), &code, dtype_bytes(b->type, 1));
}

/* Sets the values that special data always contain. */
static void put_special(const struct mx_plan *p, unsigned i, struct stream s,
                        const struct planted *all, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	struct dtype_width w = dtype_width(b->type);
	size_t n = b->rows * b->cols, from = n ? draw_at(s, DRAW_OPERAND, 0, 0).w[0] % n : 0;
	size_t free = n > all->n ? n - all->n : 0, step = free / (2 * ENDS);
	unsigned ends = 0;
	step += !step;
	for (size_t k = 0, seen = 0; k < n; k++) {
		size_t row = (from + k) % n / b->cols, col = (from + k) % n % b->cols;
		double value;
		if (is_planted(p, i, all, row, col, &value))
			put(b, bytes, row, col, code_of(b->type, (float)value));
		else if (seen++ % step == 0 && ends < 2 * ENDS) {
			put(b, bytes, row, col, end_at(&w, ends / 2, ends % 2));
			ends++;
		}
	}
}

/* ---- all ---- */

static bool is_read(const struct mx_plan *p, unsigned i) {
	return (int)i != p->epilogue.c || p->epilogue.reads_c;
}

static uint32_t draw_code(const struct mx_plan *p, unsigned i, const struct grid *g,
                          struct draw d) {
	mx_buffer_type type = p->buffers[i].type;
	struct dtype_width w = dtype_width(type);
	if (!is_read(p, i))
		return draw_end(&w, d, FINITE_ENDS);
	if (p->regime == MX_REGIME_EXACT)
		return code_of(type, draw_exact(g, d));
	if (p->regime == MX_REGIME_SPECIAL && d.w[3] % 4 == 0)
		return draw_end(&w, d, 0);
	return code_of(type, draw_general(&w, d));
}

/* The elements of a tile, or of the whole of a buffer that tiles do not divide. */
static void draw_part(const struct mx_plan *p, unsigned i, const struct grid *g, struct stream s,
                      const struct mx_tile *t, uint8_t *bytes) {
	for (size_t row = t->row; row < t->row + t->rows; row++)
		for (size_t col = t->col; col < t->col + t->cols; col++) {
			uint32_t code = draw_code(p, i, g, draw_at(s, DRAW_ELEMENT, row, col));
			put(&p->buffers[i], bytes, row, col, code);
		}
}

int epilogue_fill(const struct mx_plan *p, unsigned i, uint64_t seed, int unit,
                  const struct planted *planted, uint8_t *bytes, struct mx_error *err) {
	const struct mx_buffer *b = &p->buffers[i];
	struct stream s = draw_stream(seed, p->c->name, b->name);
	struct grid g = grid_of(p, i, unit);
	if (p->regime == MX_REGIME_EXACT && is_read(p, i) && g.top <= g.low)
		return mx_fail(err,
		               "%s: alpha and beta leave no room for numbers of buffer %s in the "
		               "exact regime",
		               p->name, b->name);
	const struct mx_tile whole = { .rows = b->rows, .cols = b->cols };
	bool divided = mx_tiles_divide(p, i);
	for (unsigned k = 0; k < (divided ? p->n_tiles : 1); k++)
		draw_part(p, i, &g, s, divided ? &p->tile[k] : &whole, bytes);
	if (p->regime == MX_REGIME_SPECIAL && is_read(p, i))
		put_special(p, i, s, planted, bytes);
	return 0;
}
