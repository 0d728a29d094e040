/* Elements of at most 13 bits in words: |word| < 2^13, and a dot is below 32 * 2^26 = 2^31. */
#include "fast.h"

#ifdef __x86_64__
#include "fast_odd.h"

#include <string.h>

enum { LANES = 8, PAIR = 2, PAIRS = EXACT_BLOCK / PAIR };
enum { ROWS = 8, EACH = PAIRS / ROWS }; /* computed together */

#define VNNI __attribute__((target("avx512f,avx512dq,avx512vnni"), always_inline)) static inline

/* Some rows of a block and its columns, x[8][32] and y[16][16][2], their factors, and the sums,
 * sum[8][16]. */
struct rows {
	const int16_t *x, *y;
	const double *a, *b;
	float *sum;
};

/* sum += products of a pair and the pair of each column. The instruction loads the pair itself, for
 * which compilers use a second one. */
VNNI __m512i add_products(__m512i sum, __m512i columns, const int16_t *pair) {
	__asm__("vpdpwssd %2%{1to16%}, %1, %0"
	        : "+v"(sum)
	        : "v"(columns), "m"(*(const int16_t(*)[PAIR])pair));
	return sum;
}

/* Adds the dots of row i. */
VNNI void add_row(const struct rows *r, int i, __m512i dot, bool exact) {
	float *sum = r->sum + i * FAST_TILE;
#pragma GCC unroll 2
	for (int h = 0; h < 2; h++, sum += LANES) {
		__m512d factor = _mm512_mul_pd(_mm512_set1_pd(r->a[i]),
		                               _mm512_load_pd(r->b + h * LANES));
		__m512d d = _mm512_cvtepi32_pd(h ? _mm512_extracti64x4_epi64(dot, 1)
		                                 : _mm512_castsi512_si256(dot));
		__m512d before = _mm512_cvtps_pd(_mm256_load_ps(sum));
		_mm256_store_ps(sum, fast_f32_sum(before, d, factor, exact));
	}
}

/* The dots of some rows. Meanwhile the dots before, if there are any, are added to their sums: most
 * of this uses other units of the processor. */
VNNI void next_dots(const struct rows *r, __m512i dot[ROWS], const struct rows *rows_before,
                    const __m512i before[ROWS], bool exact) {
#pragma GCC unroll 8
	for (int i = 0; i < ROWS; i++)
		dot[i] = _mm512_setzero_si512();
#pragma GCC unroll 16
	for (int pair = 0; pair < PAIRS; pair++) {
		__m512i columns = _mm512_load_si512(r->y + pair * PAIR * FAST_TILE);
#pragma GCC unroll 8
		for (int i = 0; i < ROWS; i++)
			dot[i] = add_products(dot[i], columns,
			                      r->x + i * EXACT_BLOCK + pair * PAIR);
		if (rows_before && pair % EACH == EACH - 1)
			add_row(rows_before, pair / EACH, before[pair / EACH], exact);
	}
}

/* Of the tiles of a part, by strip. */
struct sums {
	_Alignas(64) float of[FAST_PART][FAST_PART][FAST_TILE * FAST_TILE];
	bool inexact[FAST_PART][FAST_PART]; /* a sum was, in f64 */
};

/* Both halves of a block of a tile and a strip. */
VNNI struct rows half_of(const struct fast_product *p, size_t row, size_t column, int half,
                         float *sum) {
	return (struct rows){
		p->a.words + row * FAST_ELEMENTS + half * ROWS * EXACT_BLOCK,
		p->b.words + column * FAST_ELEMENTS,
		p->a.wide + row * FAST_TILE + half * ROWS,
		p->b.wide + column * FAST_TILE,
		sum + half * ROWS * FAST_TILE,
	};
}

/* Adds some blocks of a tile and a strip. */
VNNI void add_all(const struct fast_product *p, size_t row, size_t column, size_t blocks,
                  float *sum, bool exact) {
	struct rows low = half_of(p, row, column, 0, sum), high;
	__m512i of_low[ROWS], of_high[ROWS];
	next_dots(&low, of_low, NULL, NULL, exact);
	for (size_t n = 1;; n++) {
		high = half_of(p, row + n - 1, column + n - 1, 1, sum);
		next_dots(&high, of_high, &low, of_low, exact);
		if (n == blocks)
			break;
		low = half_of(p, row + n, column + n, 0, sum);
		next_dots(&low, of_low, &high, of_high, exact);
	}
#pragma GCC unroll 8
	for (int i = 0; i < ROWS; i++)
		add_row(&high, i, of_high[i], exact);
}

__attribute__((target("avx512f,avx512dq,avx512vnni"), noinline)) static void
add_exact(const struct fast_product *p, size_t row, size_t column, size_t blocks, float *sum) {
	add_all(p, row, column, blocks, sum, true);
}

__attribute__((target("avx512f,avx512dq,avx512vnni"), noinline)) static void
add_to_odd(const struct fast_product *p, size_t row, size_t column, size_t blocks, float *sum) {
	add_all(p, row, column, blocks, sum, false);
}

/* Adds some blocks of a tile and a strip. Sums that are not exact in f64 are few; then and from then
 * on all of the tile's are rounded to odd. */
static void add_blocks(const struct fast_product *p, size_t tile, size_t strip, size_t from,
                       size_t end, float *sum, bool *inexact) {
	size_t row = tile * p->a.blocks + from, column = strip * p->a.blocks + from;
	float before[FAST_TILE * FAST_TILE];
	if (!*inexact) {
		memcpy(before, sum, sizeof before);
		fast_clear_inexact();
		add_exact(p, row, column, end - from, sum);
		if (!fast_was_inexact())
			return;
		*inexact = true;
		memcpy(sum, before, sizeof before);
	}
	add_to_odd(p, row, column, end - from, sum);
}

static void start(struct fast_part part, struct sums *s) {
	size_t tiles = part.end_tile - part.tile;
	memset(s->inexact, 0, sizeof s->inexact);
	for (size_t j = 0; j < part.end_strip - part.strip; j++)
		memset(s->of[j], 0, tiles * sizeof s->of[j][0]);
}

/* Computes all tiles and strips a few blocks after the others: the strip's blocks stay in the
 * first-level cache, those of the tiles and the sums in the second level. */
void fast_words_vnni(const struct fast_product *p, struct fast_part part) {
	struct sums s;
	start(part, &s);
	for (size_t from = 0, end; from < p->a.blocks; from = end) {
		end = p->a.blocks - from < FAST_WORDS_BLOCKS ? p->a.blocks
		                                             : from + FAST_WORDS_BLOCKS;
		for (size_t j = part.strip; j < part.end_strip; j++)
			for (size_t i = part.tile; i < part.end_tile; i++)
				add_blocks(p, i, j, from, end, s.of[j - part.strip][i - part.tile],
				           &s.inexact[j - part.strip][i - part.tile]);
	}
	for (size_t j = part.strip; j < part.end_strip; j++)
		for (size_t i = part.tile; i < part.end_tile; i++)
			fast_store(p, i, j, s.of[j - part.strip][i - part.tile]);
}

#else

void fast_words_vnni(const struct fast_product *p, struct fast_part part) {
	(void)p;
	(void)part; /* not called: no MX_CPU_VNNI */
}

#endif
