/* Freivalds' check of a whole product, modulo the Mersenne prime 2^61 - 1. */
#include "inside.h"

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

/* ---- products with vectors ---- */

/* Decodes one row of an operand. */
static enum exact_status decode_row(const struct exact_operand *o, size_t row, size_t k,
                                    struct exact_rows *r) {
	struct exact_operand one = *o;
	one.codes += row * o->ld;
	one.scales += row * o->ld_scales;
	return exact_rows_decode(r, &one, 1, k, 1);
}

/* A vector of residues in halves of 31 bits; each half is a sum that is not yet reduced. Elements
 * are below 2^33 in E5M2, and HALF_SUMS products of 64 bits would not fit. In the other formats
 * they are below 2^18, and 2^13 products of 49 bits fit. */
enum { LOW_BITS = 31, NARROW = 18, HALF_SUMS = 1 << 13 };
struct halves {
	int64_t *low, *high;
};

static uint64_t joined(int64_t low, int64_t high) {
	return reduce_signed(high * ((__int128)1 << LOW_BITS) + low);
}

static bool is_narrow(const struct exact_operand *o) {
	const struct exact_format *f = exact_format(o->format);
	int exponents = f->specials == EXACT_IEEE ? (1 << f->exp_bits) - 2 : (1 << f->exp_bits) - 1;
	return (int)f->man_bits + exponents <= NARROW;
}

/* Adds a row times x, a block at a time. */
static void add_row(const struct exact_rows *r, uint64_t x, size_t k, bool narrow, uint64_t *y,
                    struct halves sum) {
	for (size_t first = 0; first < k; first += EXACT_BLOCK) {
		uint64_t t = times_power(x, r->block[first / EXACT_BLOCK].exp);
		int64_t low = t & ((1u << LOW_BITS) - 1), high = (int64_t)(t >> LOW_BITS);
		size_t left = k - first, n = left < EXACT_BLOCK ? left : EXACT_BLOCK;
		const int64_t *sig = r->sig + first;
		for (size_t i = 0; narrow && i < n; i++) {
			sum.low[first + i] += sig[i] * low;
			sum.high[first + i] += sig[i] * high;
		}
		for (size_t i = 0; !narrow && i < n; i++)
			y[first + i] =
				add(y[first + i], reduce_signed((__int128)sig[i] * (__int128)t));
	}
}

static void flush(uint64_t *y, struct halves sum, size_t k) {
	for (size_t i = 0; i < k; i++)
		y[i] = add(y[i], joined(sum.low[i], sum.high[i]));
	memset(sum.low, 0, k * sizeof *sum.low);
	memset(sum.high, 0, k * sizeof *sum.high);
}

/* y[k] = sum of B[j][k] x[j] over columns j of the product in [from, to). */
static enum exact_status combine_columns(const struct exact_gemm *g, uint64_t seed, size_t from,
                                         size_t to, uint64_t *y, struct halves sum) {
	enum exact_status status = EXACT_OK;
	bool narrow = is_narrow(&g->b);
	memset(y, 0, g->k * sizeof *y);
	memset(sum.low, 0, g->k * sizeof *sum.low);
	memset(sum.high, 0, g->k * sizeof *sum.high);
	for (size_t j = from; !status && j < to; j++) {
		struct exact_rows r;
		status = decode_row(&g->b, j, g->k, &r);
		if (!status)
			add_row(&r, random_element(seed, j), g->k, narrow, y, sum);
		exact_rows_free(&r);
		if ((j - from) % HALF_SUMS == HALF_SUMS - 1)
			flush(y, sum, g->k);
	}
	flush(y, sum, g->k);
	return status;
}

static __int128 block_times(const int64_t *sig, const uint64_t *y, size_t n, bool narrow) {
	int64_t low = 0, high = 0;
	__int128 wide = 0;
	for (size_t k = 0; narrow && k < n; k++) {
		low += sig[k] * (int64_t)(y[k] & ((1u << LOW_BITS) - 1));
		high += sig[k] * (int64_t)(y[k] >> LOW_BITS);
	}
	for (size_t k = 0; !narrow && k < n; k++)
		wide += (__int128)sig[k] * (__int128)y[k];
	return wide + high * ((__int128)1 << LOW_BITS) + low;
}

/* *z = sum of A[i][k] y[k]. */
static enum exact_status row_times(const struct exact_gemm *g, size_t i, const uint64_t *y,
                                   uint64_t *z) {
	struct exact_rows r;
	enum exact_status status = decode_row(&g->a, i, g->k, &r);
	bool narrow = is_narrow(&g->a);
	*z = 0;
	for (size_t first = 0; !status && first < g->k; first += EXACT_BLOCK) {
		size_t left = g->k - first, n = left < EXACT_BLOCK ? left : EXACT_BLOCK;
		uint64_t sum = reduce_signed(block_times(r.sig + first, y + first, n, narrow));
		*z = add(*z, times_power(sum, r.block[first / EXACT_BLOCK].exp));
	}
	exact_rows_free(&r);
	return status;
}

/* ---- the output ---- */

/* An f32 as sig * 2^exp. */
static int64_t significand_of(uint32_t f32, int *exp) {
	int field = f32 >> 23 & 0xff;
	int64_t sig = (f32 & 0x7fffff) | (field ? 0x800000 : 0);
	*exp = (field ? field : 1) - 150;
	return f32 >> 31 ? -sig : sig;
}

/* Whether it is a multiple of 2^unit below 2^24 units, as every right element is. */
static bool may_be_right(uint32_t f32, int unit) {
	int exp;
	int64_t sig = llabs(significand_of(f32, &exp));
	if ((f32 >> 23 & 0xff) == 0xff)
		return false;
	if (!sig)
		return true;
	int low = exp + __builtin_ctzll((uint64_t)sig);
	int high = exp + 63 - __builtin_clzll((uint64_t)sig);
	return low >= unit && high < unit + 24;
}

/* sum of c[j] x[j] over [from, to); false if an element alone is known to be wrong. */
static bool output_times(const uint32_t *c, int unit, uint64_t seed, size_t from, size_t to,
                         uint64_t *sum) {
	*sum = 0;
	for (size_t j = from; j < to; j++) {
		int exp;
		int64_t sig = significand_of(c[j], &exp);
		if (!may_be_right(c[j], unit))
			return false;
		uint64_t term = reduce_signed((__int128)sig * random_element(seed, j));
		*sum = add(*sum, times_power(term, exp));
	}
	return true;
}

/* ---- the check, and the search for wrong tiles ---- */

struct search {
	const struct exact_gemm *g;
	const uint32_t *c;
	size_t ld_c, tile;
	uint64_t seed;
	int unit;
	struct exact_check *check;
};

/* Keeps the rows that have a wrong element in columns [from, to). */
static enum exact_status keep_wrong(const struct search *s, const size_t *rows, size_t n,
                                    size_t from, size_t to, size_t *wrong, size_t *n_wrong) {
	size_t bytes = (s->g->k + 1) * sizeof(uint64_t);
	uint64_t *y = malloc(bytes), z, w;
	struct halves sum = { malloc(bytes), malloc(bytes) };
	enum exact_status status = y && sum.low && sum.high ? EXACT_OK : EXACT_NO_MEMORY;
	*n_wrong = 0;
	if (!status)
		status = combine_columns(s->g, s->seed, from, to, y, sum);
	for (size_t i = 0; !status && i < n; i++) {
		bool possible =
			output_times(s->c + rows[i] * s->ld_c, s->unit, s->seed, from, to, &w);
		status = row_times(s->g, rows[i], y, &z);
		if (!possible || z != w)
			wrong[(*n_wrong)++] = rows[i];
	}
	free(y);
	free(sum.low);
	free(sum.high);
	return status;
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
