/* Members of the family of profiles (exact.h): a dot, and the product of a kernel.
 *
 * A step adds its terms as integers in units of powers of two. With align they are within a few
 * times 40 bits of the largest exponent, so that they fit 128 bits. Exact sums that do not fit are
 * GMP integers; 100 bits and a sticky bit of exact sums are kept. */
#include "inside.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

enum { MAN = 23, EXP_MIN = -126, EXP_MAX = 127, NONE = -99999, KEPT = 100 };
enum { ASCENDING, DESCENDING, STRIDED, HALVES, PAIRS };
enum { TO_ZERO, TO_FLOOR, TO_EVEN, TO_ODD };
enum { FLUSH_ELEMENTS = 1, FLUSH_C = 2, FLUSH_RESULTS = 4 };

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define QUIET    0x7fc00000u

static int width(u128 x) {
	uint64_t high = x >> 64, low = x;
	return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* ---- factors and products ---- */

static bool is_zero(const struct exact_item *x) {
	return !x->sig && !(x->flags & (EXACT_INF | EXACT_NAN));
}

static int leading(const struct exact_item *x) {
	return x->exp + width(x->sig) - 1;
}

static bool is_subnormal(const struct exact_item *x) {
	return x->sig && leading(x) < x->top;
}

static struct exact_item factor_of_f32(uint32_t bits) {
	uint32_t exp = bits >> MAN & 0xff, man = bits & 0x7fffff;
	int top = (int)(exp ? exp : 1) - 127;
	unsigned special = exp < 0xff ? 0 : man ? EXACT_NAN : EXACT_INF;
	return (struct exact_item){
		.flags = (bits & SIGN ? EXACT_NEGATIVE : 0) | special,
		.sig = special ? 0 : man | (exp ? 1u << MAN : 0),
		.exp = top - MAN,
		.top = top,
	};
}

struct exact_item exact_member_element(const struct exact_member *p, struct exact_item x) {
	if (is_subnormal(&x) && p->flush & FLUSH_ELEMENTS)
		x.sig = 0;
	else if (is_subnormal(&x) && p->lead)
		x.top = leading(&x);
	return x;
}

static struct exact_item product(const struct exact_member *p, struct exact_item a,
                                 struct exact_item b) {
	a = exact_member_element(p, a);
	b = exact_member_element(p, b);
	unsigned special = (a.flags | b.flags) & (EXACT_INF | EXACT_NAN);
	bool nan = special & EXACT_NAN || (special && (is_zero(&a) || is_zero(&b)));
	return (struct exact_item){
		.flags = ((a.flags ^ b.flags) & EXACT_NEGATIVE) | (nan ? EXACT_NAN : special),
		.sig = special ? 0 : a.sig * b.sig,
		.exp = a.exp + b.exp,
		.top = a.top + b.top,
	};
}

/* ---- numbers: v 2^exp ---- */

struct number {
	__int128 v;
	int exp;
};

static struct number value(const struct exact_item *x) {
	__int128 v = (__int128)x->sig;
	return (struct number){ x->flags & EXACT_NEGATIVE ? -v : v, x->exp };
}

/* x as a multiple of 2^exp, if it has smaller bits. */
static struct number cut_at(struct number x, int exp, unsigned cut) {
	u128 magnitude = x.v < 0 ? -(u128)x.v : (u128)x.v, half, rest;
	int lost = exp - x.exp;
	if (lost <= 0)
		return x;
	if (cut == TO_FLOOR)
		return (struct number){ x.v >> (lost < 127 ? lost : 127), exp };
	if (lost > 126) /* at most a quarter of a unit */
		return (struct number){ cut == TO_ODD ? (x.v > 0) - (x.v < 0) : 0, exp };
	half = (u128)1 << (lost - 1);
	rest = magnitude & (2 * half - 1);
	magnitude >>= lost;
	if (cut == TO_EVEN)
		magnitude += rest > half || (rest == half && magnitude & 1);
	if (cut == TO_ODD)
		magnitude |= rest != 0;
	return (struct number){ x.v < 0 ? -(__int128)magnitude : (__int128)magnitude, exp };
}

static struct number plus(struct number x, struct number y) {
	if (!x.v || !y.v)
		return x.v ? x : y;
	if (x.exp > y.exp)
		return plus(y, x);
	return (struct number){ x.v + y.v * ((__int128)1 << (y.exp - x.exp)), x.exp };
}

/* The f32 of x, as the member rounds results. */
static uint32_t rounded(const struct exact_member *p, struct number x) {
	int man = p->bits ? (int)p->bits : MAN;
	uint32_t sign = x.v < 0 ? SIGN : 0;
	u128 magnitude = x.v < 0 ? -(u128)x.v : (u128)x.v;
	if (!x.v)
		return 0;
	int top = width(magnitude) - 1 + x.exp;
	x = cut_at((struct number){ (__int128)magnitude, x.exp },
	           (top < EXP_MIN ? EXP_MIN : top) - man, p->round ? TO_ZERO : TO_EVEN);
	int bits = width((u128)x.v);
	top = bits - 1 + x.exp;
	if (!x.v || (top < EXP_MIN && p->flush & FLUSH_RESULTS))
		return p->zero == 2 ? 0 : sign;
	if (top > EXP_MAX)
		return sign | (p->over ? INFINITE - (1u << (MAN - man)) : INFINITE);
	int up = x.exp - ((top < EXP_MIN ? EXP_MIN : top) - MAN);
	uint32_t sig = (uint32_t)(up < 0 ? x.v >> -up : x.v << up);
	return sign | (top < EXP_MIN ? sig : (uint32_t)(top + 127) << MAN | (sig & 0x7fffff));
}

/* ---- a step ---- */

struct step {
	const struct exact_member *p;
	struct exact_item term[EXACT_MEMBER_K], c;
	unsigned n;
};

static int top_with_c(const struct step *s, int top) {
	return s->c.sig && s->c.top > top ? s->c.top : top;
}

/* Whether term i is of that part; all terms are of part -1. */
static bool is_of(const struct step *s, unsigned i, int part) {
	const struct exact_member *p = s->p;
	unsigned each = p->group / p->parts;
	if (part < 0 || p->parts == 1)
		return true;
	return (p->split ? each ? i / each % p->parts : 0 : i % p->parts) == (unsigned)part;
}

static int top_of(const struct step *s, int part) {
	int top = s->p->low ? -(int)s->p->low : NONE;
	for (unsigned i = 0; i < s->n; i++)
		if (is_of(s, i, part) && s->term[i].sig && s->term[i].top > top)
			top = s->term[i].top;
	return top;
}

static struct number aligned_terms(const struct step *s, int part, int exp) {
	struct number sum = { 0, exp };
	for (unsigned i = 0; i < s->n; i++)
		if (is_of(s, i, part) && s->term[i].sig)
			sum = plus(sum, cut_at(value(&s->term[i]), exp, s->p->cut));
	return sum;
}

static struct number sum_apart(const struct step *s) {
	const struct exact_member *p = s->p;
	int most = top_of(s, -1), top = top_with_c(s, most);
	struct number sum = { 0, 0 }, c = value(&s->c);
	for (unsigned i = 0; i < p->parts; i++) {
		struct number part = aligned_terms(s, (int)i, top_of(s, (int)i) - (int)p->align);
		sum = plus(sum,
		           cut_at(part, most - (int)(p->parts > 1 ? p->join : p->align), TO_FLOOR));
	}
	sum = cut_at(sum, top - (int)p->dot, TO_FLOOR);
	if (p->drop && s->c.top < top - (int)p->drop)
		c.v = 0;
	sum = plus(sum, cut_at(c, top - (int)p->acc, TO_FLOOR));
	int lead = width(sum.v < 0 ? -(u128)sum.v : (u128)sum.v) - 1 + sum.exp;
	return p->norm && sum.v ? cut_at(sum, lead - (int)p->norm, TO_FLOOR) : sum;
}

static struct number sum_together(const struct step *s) {
	int exp = top_with_c(s, top_of(s, -1)) - (int)s->p->align;
	return plus(aligned_terms(s, -1, exp), cut_at(value(&s->c), exp, s->p->cut));
}

/* The smallest unit of C and the terms. */
static int least_unit(const struct step *s) {
	int least = s->c.sig ? s->c.exp : -NONE;
	for (unsigned i = 0; i < s->n; i++)
		if (s->term[i].sig && s->term[i].exp < least)
			least = s->term[i].exp;
	return least;
}

static void add_to(mpz_t sum, mpz_t scratch, const struct exact_item *x, int unit) {
	if (!x->sig)
		return;
	mpz_set_ui(scratch, x->sig);
	mpz_mul_2exp(scratch, scratch, (mp_bitcnt_t)(x->exp - unit));
	(x->flags & EXACT_NEGATIVE ? mpz_sub : mpz_add)(sum, sum, scratch);
}

/* The first KEPT bits of an integer in units of 2^unit, the last of them sticky. */
static struct number kept(bool negative, u128 magnitude, int unit) {
	int bits = width(magnitude), lost = bits > KEPT ? bits - KEPT : 0;
	bool sticky = magnitude & (((u128)1 << lost) - 1);
	__int128 v = (__int128)(magnitude >> lost | sticky);
	return (struct number){ negative ? -v : v, unit + lost };
}

/* The terms and C in units of 2^unit, if their sum fits 127 bits. */
static bool sum_narrow(const struct step *s, int unit, __int128 *sum) {
	enum { MOST = 118 }; /* 2^8 > EXACT_MEMBER_K + 1 of them are below 2^(MOST + 1) */
	*sum = 0;
	for (unsigned i = 0; i <= s->n; i++) {
		const struct exact_item *x = i < s->n ? &s->term[i] : &s->c;
		if (!x->sig)
			continue;
		if (leading(x) - unit > MOST)
			return false;
		__int128 v = (__int128)((u128)x->sig << (x->exp - unit));
		*sum += x->flags & EXACT_NEGATIVE ? -v : v;
	}
	return true;
}

static struct number sum_wide(const struct step *s, int unit) {
	uint64_t words[2] = { 0 };
	mpz_t sum, scratch;
	mpz_inits(sum, scratch, NULL);
	add_to(sum, scratch, &s->c, unit);
	for (unsigned i = 0; i < s->n; i++)
		add_to(sum, scratch, &s->term[i], unit);
	size_t bits = mpz_sizeinbase(sum, 2), lost = bits > KEPT ? bits - KEPT : 0;
	bool negative = mpz_sgn(sum) < 0, sticky = mpz_sgn(sum) && mpz_scan1(sum, 0) < lost;
	mpz_tdiv_q_2exp(sum, sum, lost);
	mpz_export(words, NULL, -1, sizeof *words, 0, 0, sum);
	mpz_clears(sum, scratch, NULL);
	__int128 v = (__int128)((u128)words[1] << 64 | words[0] | sticky);
	return (struct number){ negative ? -v : v, unit + (int)lost };
}

/* The exact sum; of more than KEPT bits, the first with a sticky bit. */
static struct number sum_exact(const struct step *s) {
	int unit = least_unit(s);
	__int128 sum;
	if (!sum_narrow(s, unit, &sum))
		return sum_wide(s, unit);
	return kept(sum < 0, sum < 0 ? -(u128)sum : (u128)sum, unit);
}

/* What a term or C has of infinities and NaN; a term at the limit is an infinity. */
static unsigned special_of(const struct exact_item *x, unsigned limit) {
	bool infinite = x->flags & EXACT_INF || (limit && x->sig && leading(x) >= (int)limit);
	if (x->flags & EXACT_NAN)
		return EXACT_SEEN_NAN;
	return !infinite                   ? 0
	       : x->flags & EXACT_NEGATIVE ? EXACT_SEEN_MINUS_INF
	                                   : EXACT_SEEN_PLUS_INF;
}

static uint32_t end_once(const struct step *s) {
	const struct exact_member *p = s->p;
	unsigned seen = special_of(&s->c, 0), both = EXACT_SEEN_PLUS_INF | EXACT_SEEN_MINUS_INF;
	bool minus_zero = is_zero(&s->c) && s->c.flags & EXACT_NEGATIVE;
	for (unsigned i = 0; i < s->n; i++) {
		seen |= special_of(&s->term[i], p->limit);
		minus_zero &= is_zero(&s->term[i]) && s->term[i].flags & EXACT_NEGATIVE;
	}
	if (seen & EXACT_SEEN_NAN || (seen & both) == both)
		return p->nan ? p->nan : QUIET;
	if (seen)
		return seen & EXACT_SEEN_MINUS_INF ? SIGN | INFINITE : INFINITE;
	if (minus_zero)
		return p->zero ? 0 : SIGN;
	return rounded(p, !p->align ? sum_exact(s) : p->fused ? sum_together(s) : sum_apart(s));
}

/* ---- a dot ---- */

enum { INNER_SUM = 1, INNER_PRODUCTS = 2 };

static struct exact_item accumulator(const struct exact_member *p, uint32_t bits) {
	struct exact_item c = factor_of_f32(bits);
	if (is_subnormal(&c) && p->flush & FLUSH_C)
		c.sig = 0;
	return c;
}

unsigned exact_member_place(const struct exact_member *p, unsigned K, unsigned group, unsigned step,
                            unsigned i) {
	unsigned steps = K / group;
	switch (K % group ? ASCENDING : p->order) {
	case DESCENDING: return (steps - 1 - step) * group + i;
	case STRIDED: return i * steps + step;
	case HALVES: return i / (group / 2) * (K / 2) + step * (group / 2) + i % (group / 2);
	case PAIRS: return i / 2 * (2 * steps) + 2 * step + i % 2;
	default: return step * group + i;
	}
}

/* x + c in one addition. */
static uint32_t add_last(const struct exact_member *p, uint32_t x, uint32_t c, bool toward_zero) {
	const struct exact_member last = { .group = 1,
		                           .parts = 1,
		                           .round = toward_zero,
		                           .bits = p->bits,
		                           .flush = p->flush,
		                           .nan = p->nan,
		                           .zero = p->zero,
		                           .over = p->over };
	struct step s; /* the terms after n have no value */
	s.p = &last, s.c = accumulator(p, c), s.n = 1;
	s.term[0] = factor_of_f32(x);
	return end_once(&s);
}

/* The sum of the products alone, rounded, before C. */
static uint32_t end_step(struct step *s, uint32_t c) {
	bool apart = s->p->inner & INNER_SUM;
	s->c = accumulator(s->p, apart ? SIGN : c);
	uint32_t sum = end_once(s);
	return apart ? add_last(s->p, sum, c, s->p->round) : sum;
}

/* A finite product as an f32. */
static struct exact_item term_of(const struct exact_member *p, struct exact_item x) {
	if (!(p->inner & INNER_PRODUCTS) || !x.sig)
		return x;
	uint32_t bits = rounded(p, value(&x));
	return factor_of_f32(bits);
}

uint32_t exact_member_dot(const struct exact_member *p, unsigned K, const struct exact_item *a,
                          const struct exact_item *b, uint32_t c) {
	unsigned group = p->group && p->group < K ? p->group : K;
	uint32_t acc = p->late ? SIGN : c;
	struct step s;
	s.p = p;
	for (unsigned first = 0; first < K; first += group) {
		s.n = K - first < group ? K - first : group;
		for (unsigned i = 0; i < s.n; i++) {
			unsigned k = exact_member_place(p, K, group, first / group, i);
			s.term[i] = term_of(p, product(p, a[k], b[k]));
		}
		acc = end_step(&s, acc);
	}
	return p->late ? add_last(p, acc, c, p->late == 1 && p->round) : acc;
}

static float chain(size_t n, const double *a, const double *b, float c) {
	for (size_t k = 0; k < n; k++)
		c = fmaf((float)a[k], (float)b[k], c);
	return c;
}

uint32_t exact_member_f32(const struct exact_member *p, unsigned K, size_t n, const double *a,
                          const double *b, uint32_t c) {
	if (!p || p->align)
		return exact_bits(chain(n, a, b, exact_float(c)));
	for (size_t first = 0; first < n; first += K) {
		struct exact_item x[EXACT_MEMBER_K], y[EXACT_MEMBER_K];
		for (unsigned k = 0; k < K; k++) {
			bool given = first + k < n;
			x[k] = factor_of_f32(given ? exact_bits((float)a[first + k]) : 0);
			y[k] = factor_of_f32(given ? exact_bits((float)b[first + k]) : 0);
		}
		c = exact_member_dot(p, K, x, y, c);
	}
	return c;
}

/* ---- a product ---- */

struct work {
	const struct exact_member *p;
	unsigned K;
	struct exact_items a, b;
	uint32_t *out;
	/* Rows of A as fast_member_load makes them: values, then exponents of each. */
	double *panel;
	size_t first, rows;
};

static uint32_t element_of_product(const struct work *w, size_t i, size_t j) {
	const struct exact_item *a = w->a.item + i * w->a.width, *b = w->b.item + j * w->b.width;
	uint32_t acc = 0;
	for (size_t k = 0; k < w->a.width; k += w->K)
		acc = exact_member_dot(w->p, w->K, a + k, b + k, acc);
	return acc;
}

static void row_of_product(void *context, size_t from, size_t to) {
	const struct work *w = context;
	for (size_t i = from * w->b.rows; i < to * w->b.rows; i++)
		w->out[i] = element_of_product(w, i / w->b.rows, i % w->b.rows);
}

static void load_panel(void *context, size_t from, size_t to) {
	const struct work *w = context;
	size_t width = w->a.width;
	for (size_t i = from; i < to; i++)
		fast_member_load(w->p, w->K, w->a.item + (w->first + i) * width, width, 1,
		                 w->panel + 2 * i * width, w->panel + (2 * i + 1) * width);
}

/* Columns from j to j + n - 1 of the panel's rows, with room for these columns of B. */
static void fast_columns(const struct work *w, size_t j, size_t n, double (*b)[FAST_COLUMNS]) {
	size_t width = w->a.width;
	for (size_t i = 0; i < n; i++)
		fast_member_load(w->p, w->K, w->b.item + (j + i) * width, width, FAST_COLUMNS,
		                 &b[0][i], &b[width][i]);
	for (size_t i = 0; i < w->rows; i++) {
		const double *a = w->panel + 2 * i * width;
		uint32_t out[FAST_COLUMNS], *to = w->out + (w->first + i) * w->b.rows + j;
		unsigned doubt = fast_member_row(w->p, w->K, width, a, a + width,
		                                 (const double(*)[FAST_COLUMNS])b,
		                                 (const double(*)[FAST_COLUMNS])(b + width), out);
		for (size_t c = 0; c < n; c++)
			to[c] = doubt >> c & 1 ? element_of_product(w, w->first + i, j + c)
			                       : out[c];
	}
}

/* Strips of columns of the panel's rows; one by one if there is no memory. */
static void strips_of_product(void *context, size_t from, size_t to) {
	const struct work *w = context;
	double(*b)[FAST_COLUMNS] = calloc(2 * w->a.width, sizeof *b);
	for (size_t j = from * FAST_COLUMNS; j < to * FAST_COLUMNS && j < w->b.rows;
	     j += FAST_COLUMNS) {
		size_t left = w->b.rows - j, n = left < FAST_COLUMNS ? left : FAST_COLUMNS;
		if (b)
			fast_columns(w, j, n, b);
		for (size_t i = 0; !b && i < w->rows * n; i++) {
			size_t row = w->first + i / n, col = j + i % n;
			w->out[row * w->b.rows + col] = element_of_product(w, row, col);
		}
	}
	free(b);
}

/* A panel of rows at a time, so that each row and column is loaded rarely. False: no memory. */
static bool panels_of_product(struct work *w, unsigned threads) {
	enum { PANEL = 512 };
	w->panel = malloc((2 * PANEL * w->a.width + 1) * sizeof *w->panel);
	if (!w->panel)
		return false;
	for (w->first = 0; w->first < w->a.rows; w->first += PANEL) {
		w->rows = w->a.rows - w->first < PANEL ? w->a.rows - w->first : PANEL;
		exact_parallel(threads, w->rows, 1, load_panel, w);
		exact_parallel(threads, (w->b.rows + FAST_COLUMNS - 1) / FAST_COLUMNS, 1,
		               strips_of_product, w);
	}
	free(w->panel);
	return true;
}

enum exact_status exact_member_product(const struct exact_gemm *g, const struct exact_member *p,
                                       unsigned mma_k, uint32_t *out) {
	struct work w = { .p = p, .K = mma_k, .out = out };
	size_t tile = g->k_tile ? g->k_tile : mma_k;
	if (!mma_k || mma_k % EXACT_BLOCK || mma_k > EXACT_MEMBER_K || tile % mma_k)
		return EXACT_BAD_SHAPE;
	enum exact_status status = exact_items_decode(&w.a, &g->a, g->m, g->k, tile / EXACT_BLOCK);
	if (!status)
		status = exact_items_decode(&w.b, &g->b, g->n, g->k, tile / EXACT_BLOCK);
	bool done = !status && fast_member_applies(p, mma_k) && panels_of_product(&w, g->threads);
	if (!status && !done)
		exact_parallel(g->threads, g->m, 1, row_of_product, &w);
	free(w.a.item), free(w.b.item);
	return status;
}

/* ---- the exact regime ----
 *
 * Let 2^q be the largest power of two that divides an element's products, q >= -149. Each product,
 * C and each partial sum is a multiple of 2^q below 2^(q+24), and the exponents P, Q and E are at
 * most q + 24, or -low. So a cut to 24 bits or more below them changes nothing, C is never 2^24
 * below E, and no sum has more than 24 bits. */
bool exact_member_keeps_regime(const struct exact_member *p) {
	bool wide = p->align >= 24 && (!p->low || p->low + p->align >= 149);
	bool apart = p->fused || ((p->parts == 1 || p->join >= 24) && p->dot >= 24 &&
	                          p->acc >= 24 && (!p->drop || p->drop >= 24));
	return (!p->align || (wide && apart)) && (!p->norm || p->norm >= 23) &&
	       (!p->bits || p->bits == MAN) && !p->flush && (!p->limit || p->limit >= 128);
}
