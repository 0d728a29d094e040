/* Freivalds' check of a whole product, modulo the Mersenne prime 2^61 - 1. */
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

/* ---- the field ---- */

static uint64_t reduce(unsigned __int128 x) {
	uint64_t sum = (uint64_t)(x & PRIME) + (uint64_t)(x >> 61 & PRIME) + (uint64_t)(x >> 122);
	sum = (sum & PRIME) + (sum >> 61);
	return sum == PRIME ? 0 : sum;
}

static uint64_t reduce_signed(__int128 x) {
	uint64_t r = reduce(x < 0 ? -(unsigned __int128)x : (unsigned __int128)x);
	return x < 0 && r ? PRIME - r : r;
}

static uint64_t add(uint64_t a, uint64_t b) {
	uint64_t sum = a + b;
	return sum >= PRIME ? sum - PRIME : sum;
}

/* x * 2^e for any e: a rotation, since 2^61 = 1. */
static uint64_t times_power(uint64_t x, int e) {
	int turn = (e % 61 + 61) % 61;
	return turn ? (x << turn & PRIME) | x >> (61 - turn) : x;
}

/* Element j of the random vector: the top 61 bits of splitmix64. Only p is not a residue. */
static uint64_t random_element(uint64_t seed, uint64_t j) {
	uint64_t z = seed + (j + 1) * 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	z = (z ^ z >> 31) >> 3;
	return z == PRIME ? 0 : z;
}

/* What is checked. */
struct search {
	const struct exact_gemm *g;
	const uint32_t *c;
	size_t ld_c, tile;
	uint64_t seed;
	int unit;
	struct exact_check *check;
};

/* ---- products with vectors ---- */

/* A vector of residues in halves of 31 bits, so that products with significands fit 64 bits.
 * Significands are below 2^33 in E5M2, which would not fit. In the other formats they are below
 * 2^18, and 2^13 products of 49 bits fit. */
enum { LOW_BITS = 31, NARROW = 18, HALF_SUMS = 1 << 13 };
struct halves {
	int64_t *low, *high;
};

static void split(uint64_t x, int64_t *low, int64_t *high) {
	*low = x & ((1u << LOW_BITS) - 1);
	*high = (int64_t)(x >> LOW_BITS);
}

static uint64_t joined(int64_t low, int64_t high) {
	return reduce_signed(high * ((__int128)1 << LOW_BITS) + low);
}

/* An operand with the values of its codes. */
struct source {
	const struct exact_operand *o;
	const struct exact_format *format;
	struct exact_codes codes;
	bool narrow;
};

static struct source source_of(const struct exact_operand *o) {
	struct source s = { o, exact_format(o->format) };
	const struct exact_format *f = s.format;
	int exponents = f->specials == EXACT_IEEE ? (1 << f->exp_bits) - 2 : (1 << f->exp_bits) - 1;
	s.narrow = (int)f->man_bits + exponents <= NARROW;
	exact_list_codes(f, &s.codes);
	return s;
}

/* The significands of a row from column k; returns the exponent of their unit. */
static int decode_block(const struct source *s, size_t row, size_t k, size_t n,
                        int64_t sig[EXACT_BLOCK]) {
	const struct exact_operand *o = s->o;
	uint8_t code[EXACT_BLOCK];
	exact_unpack(s->format, o->codes + row * o->ld, k, n, code);
	for (size_t i = 0; i < n; i++)
		sig[i] = s->codes.sig[code[i]];
	return exact_format_lsb(s->format) + o->scales[row * o->ld_scales + k / EXACT_BLOCK] -
	       E8M0_BIAS;
}

static size_t block_end(size_t k, size_t end) {
	return end - k < EXACT_BLOCK ? end : k + EXACT_BLOCK;
}

/* What one check computes: the columns [from, to) of the product, times a random vector x. */
struct vectors {
	const struct search *s;
	struct source a, b;
	size_t from, to;
	struct halves x;  /* of the columns */
	uint64_t *y;      /* x times B, for each k */
	struct halves y2; /* the same */
	const size_t *rows;
	bool *is_wrong; /* of each of rows */
};

/* Adds a block of a row times x to y or, if it is narrow, to sums. */
static void add_block(const int64_t *sig, size_t n, uint64_t x, bool narrow, uint64_t *y,
                      int64_t *restrict sum_low, int64_t *restrict sum_high) {
	int64_t low, high;
	split(x, &low, &high);
	for (size_t i = 0; narrow && i < n; i++) {
		sum_low[i] += sig[i] * low;
		sum_high[i] += sig[i] * high;
	}
	for (size_t i = 0; !narrow && i < n; i++)
		y[i] = add(y[i], reduce_signed((__int128)sig[i] * (__int128)x));
}

/* y[k] = sum of B[j][k] x[j] for k in [first, end), a part that fits the first-level cache. */
enum { PART = 1024 };
static void combine_part(void *context, size_t first, size_t end) {
	struct vectors *v = context;
	int64_t low[PART] = { 0 }, high[PART] = { 0 }, sig[EXACT_BLOCK];
	uint64_t *y = v->y + first;
	memset(y, 0, (end - first) * sizeof *y);
	for (size_t j = v->from; j < v->to; j++) {
		uint64_t x = random_element(v->s->seed, j);
		for (size_t k = first, next; k < end; k = next) {
			next = block_end(k, end);
			int exp = decode_block(&v->b, j, k, next - k, sig);
			add_block(sig, next - k, times_power(x, exp), v->b.narrow, y + (k - first),
			          low + (k - first), high + (k - first));
		}
		if ((j - v->from) % HALF_SUMS != HALF_SUMS - 1 && j + 1 < v->to)
			continue;
		for (size_t i = 0; i < end - first; i++)
			y[i] = add(y[i], joined(low[i], high[i]));
		memset(low, 0, sizeof low);
		memset(high, 0, sizeof high);
	}
	for (size_t k = first; k < end; k++)
		split(v->y[k], &v->y2.low[k], &v->y2.high[k]);
}

/* The sum of A[i][k] y[k]. */
static uint64_t row_times(const struct vectors *v, size_t i) {
	int64_t sig[EXACT_BLOCK];
	uint64_t z = 0;
	for (size_t k = 0, end = v->s->g->k, next; k < end; k = next) {
		next = block_end(k, end);
		int exp = decode_block(&v->a, i, k, next - k, sig);
		int64_t low = 0, high = 0;
		__int128 wide = 0;
		for (size_t t = 0; v->a.narrow && t < next - k; t++) {
			low += sig[t] * v->y2.low[k + t];
			high += sig[t] * v->y2.high[k + t];
		}
		for (size_t t = 0; !v->a.narrow && t < next - k; t++)
			wide += (__int128)sig[t] * (__int128)v->y[k + t];
		uint64_t sum = v->a.narrow ? joined(low, high) : reduce_signed(wide);
		z = add(z, times_power(sum, exp));
	}
	return z;
}

/* ---- the output ---- */

/* Every right element is a multiple of 2^unit below 2^24 units; 2^-unit and the quotient are
 * normal doubles. The sum of `n` <= 128 elements in units times x; false if an element alone is
 * known to be wrong. */
enum { ELEMENTS = 128 };
static bool elements_times(const uint32_t *c, double per_unit, const int64_t *restrict x_low,
                           const int64_t *restrict x_high, size_t n, uint64_t *sum) {
	int64_t low = 0, high = 0;
	unsigned impossible = 0;
	for (size_t j = 0; j < n; j++) {
		float f;
		memcpy(&f, c + j, sizeof f);
		double units = (double)f * per_unit;
		bool small = units > -0x1p24 && units < 0x1p24;
		int64_t whole = (int64_t)(small ? units : 0);
		impossible |= !small | ((double)whole != units);
		low += whole * x_low[j];
		high += whole * x_high[j];
	}
	*sum = joined(low, high);
	return !impossible;
}

static bool output_times(const struct vectors *v, const uint32_t *row, uint64_t *sum) {
	/* A product of zeros has no unit: any number but zero is a fraction of 2^MOST. */
	enum { MOST = 200 };
	double per_unit = ldexp(1, v->s->unit < MOST ? -v->s->unit : -MOST);
	size_t n = v->to - v->from;
	*sum = 0;
	for (size_t j = 0; j < n; j += ELEMENTS) {
		uint64_t some;
		if (!elements_times(row + v->from + j, per_unit, v->x.low + j, v->x.high + j,
		                    n - j < ELEMENTS ? n - j : ELEMENTS, &some))
			return false;
		*sum = add(*sum, some);
	}
	*sum = times_power(*sum, v->s->unit);
	return true;
}

static void check_part(void *context, size_t first, size_t end) {
	struct vectors *v = context;
	for (size_t i = first; i < end; i++) {
		uint64_t w;
		v->is_wrong[i] = !output_times(v, v->s->c + v->rows[i] * v->s->ld_c, &w) ||
		                 w != row_times(v, v->rows[i]);
	}
}

/* ---- the check, and the search for wrong tiles ---- */

/* Room for n numbers in each half. */
static bool make_halves(struct halves *h, size_t n) {
	h->low = malloc((n + 1) * sizeof *h->low);
	h->high = malloc((n + 1) * sizeof *h->high);
	return h->low && h->high;
}

static void free_vectors(struct vectors *v) {
	free(v->x.low), free(v->x.high);
	free(v->y2.low), free(v->y2.high);
	free(v->y);
	free(v->is_wrong);
}

static bool make_vectors(struct vectors *v, const struct search *s, size_t n) {
	v->y = malloc((s->g->k + 1) * sizeof *v->y);
	v->is_wrong = malloc(n + 1);
	if (!make_halves(&v->x, v->to - v->from) || !make_halves(&v->y2, s->g->k) || !v->y ||
	    !v->is_wrong)
		return false;
	for (size_t j = v->from; j < v->to; j++)
		split(random_element(s->seed, j), &v->x.low[j - v->from], &v->x.high[j - v->from]);
	return true;
}

/* Keeps the rows that have a wrong element in columns [from, to). */
static enum exact_status keep_wrong(const struct search *s, const size_t *rows, size_t n,
                                    size_t from, size_t to, size_t *wrong, size_t *n_wrong) {
	enum { ROWS = 16 };
	struct vectors v = { s, source_of(&s->g->a), source_of(&s->g->b), from, to, .rows = rows };
	bool good = make_vectors(&v, s, n);
	*n_wrong = 0;
	if (good) {
		exact_parallel(s->g->threads, s->g->k, PART, combine_part, &v);
		exact_parallel(s->g->threads, n, ROWS, check_part, &v);
	}
	for (size_t i = 0; good && i < n; i++)
		if (v.is_wrong[i])
			wrong[(*n_wrong)++] = rows[i];
	free_vectors(&v);
	return good ? EXACT_OK : EXACT_NO_MEMORY;
}

static int tile_order(const void *a, const void *b) {
	const struct exact_tile *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->col > y->col) - (x->col < y->col);
}

/* Keeps the first tiles in row order. */
static void note_tile(struct exact_check *c, size_t row, size_t col) {
	struct exact_tile t = { row, col };
	c->wrong_tiles++;
	if (c->n_tiles < EXACT_MAX_TILES)
		c->tile[c->n_tiles++] = t;
	else if (tile_order(&t, &c->tile[EXACT_MAX_TILES - 1]) < 0)
		c->tile[EXACT_MAX_TILES - 1] = t;
	qsort(c->tile, c->n_tiles, sizeof *c->tile, tile_order);
}

/* Halves the columns until one tile is left, with the wrong rows only. */
static enum exact_status bisect(const struct search *s, const size_t *rows, size_t n, size_t from,
                                size_t to) {
	size_t *wrong = malloc((n + 1) * sizeof *wrong), n_wrong;
	if (!wrong)
		return EXACT_NO_MEMORY;
	enum exact_status status = keep_wrong(s, rows, n, from, to, wrong, &n_wrong);
	size_t tiles = (to - from + s->tile - 1) / s->tile;
	if (!status && n_wrong && tiles > 1) {
		size_t middle = from + tiles / 2 * s->tile;
		status = bisect(s, wrong, n_wrong, from, middle);
		if (!status)
			status = bisect(s, wrong, n_wrong, middle, to);
	} else if (!status)
		for (size_t i = 0; i < n_wrong; i++)
			if (!i || wrong[i] / s->tile != wrong[i - 1] / s->tile)
				note_tile(s->check, wrong[i] / s->tile * s->tile, from);
	free(wrong);
	return status;
}

static enum exact_status check_rows(const struct search *s, size_t *rows, size_t *wrong) {
	for (size_t i = 0; i < s->g->m; i++)
		rows[i] = i;
	size_t n;
	enum exact_status status = keep_wrong(s, rows, s->g->m, 0, s->g->n, wrong, &n);
	s->check->wrong_rows = n;
	s->check->holds = !status && n == 0;
	return status || !n ? status : bisect(s, wrong, n, 0, s->g->n);
}

enum exact_status exact_freivalds(const struct exact_gemm *g, const uint32_t *c, size_t ld_c,
                                  uint64_t seed, size_t tile, struct exact_check *check) {
	struct exact_regime_facts facts;
	*check = (struct exact_check){ .missed = 1.0 / (double)PRIME };
	if (!exact_plain_scales(&g->a) || !exact_plain_scales(&g->b))
		return EXACT_BAD_FORMAT;
	enum exact_status status = exact_regime_of(g, &facts, NULL, 0);
	if (status || !facts.holds || !tile || ld_c < g->n)
		return status ? status : EXACT_BAD_SHAPE;
	struct search s = { g, c, ld_c, tile, seed, facts.unit, check };
	size_t *rows = malloc((g->m + 1) * sizeof *rows),
	       *wrong = malloc((g->m + 1) * sizeof *wrong);
	status = rows && wrong ? check_rows(&s, rows, wrong) : EXACT_NO_MEMORY;
	free(rows);
	free(wrong);
	return status;
}
