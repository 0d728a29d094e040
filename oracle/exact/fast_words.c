/* Elements of at most 13 bits in words: |word| < 2^13, and a dot is below 32 * 2^26 = 2^31. */
#include "fast.h"

#ifdef __x86_64__
#include "fast_odd.h"

#include <string.h>

enum { LANES = 8, PAIR = 2, PAIRS = EXACT_BLOCK / PAIR };

/* The dots of a block's rows, x[16][32], with its columns, y[16][16][2]. */
__attribute__((target("avx512f,avx512vnni"), always_inline)) static inline void
dots_of(const int16_t *x, const int16_t *y, __m512i dot[FAST_TILE]) {
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
		dot[i] = _mm512_setzero_si512();
#pragma GCC unroll 16
	for (int pair = 0; pair < PAIRS; pair++) {
		__m512i columns = _mm512_load_si512(y + pair * PAIR * FAST_TILE);
#pragma GCC unroll 16
		for (int i = 0; i < FAST_TILE; i++) {
			int32_t two;
			memcpy(&two, x + i * EXACT_BLOCK + pair * PAIR, sizeof two);
			dot[i] = _mm512_dpwssd_epi32(dot[i], columns, _mm512_set1_epi32(two));
		}
	}
}

/* Adds these dots to their sums, sum[16][16]; a and b: factors. */
__attribute__((target("avx512f,avx512dq,avx512vnni"), always_inline)) static inline void
add_block(const int16_t *x, const double *a, const int16_t *y, const double *b, float *sum,
          bool exact) {
	const __m512d of_columns[] = { _mm512_load_pd(b), _mm512_load_pd(b + LANES) };
	__m512i dot[FAST_TILE];
	dots_of(x, y, dot);
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
#pragma GCC unroll 2
		for (int h = 0; h < 2; h++, sum += LANES) {
			__m512d factor = _mm512_mul_pd(_mm512_set1_pd(a[i]), of_columns[h]);
			__m512d d = _mm512_cvtepi32_pd(h ? _mm512_extracti64x4_epi64(dot[i], 1)
			                                 : _mm512_castsi512_si256(dot[i]));
			__m512d before = _mm512_cvtps_pd(_mm256_load_ps(sum));
			_mm256_store_ps(sum, fast_f32_sum(before, d, factor, exact));
		}
}

/* Of the tiles of a part, by strip. */
struct sums {
	_Alignas(64) float of[FAST_PART][FAST_PART][FAST_TILE * FAST_TILE];
	bool exact[FAST_PART][FAST_PART];
};

/* Adds some blocks of a tile and a strip. */
__attribute__((target("avx512f,avx512dq,avx512vnni"), noinline)) static void
add_blocks(const struct fast_product *p, size_t tile, size_t strip, size_t from, size_t end,
           float *sum, bool exact) {
	size_t row = tile * p->a.blocks + from, column = strip * p->a.blocks + from;
	for (size_t n = from; n < end; n++, row++, column++) {
		const int16_t *x = p->a.words + row * FAST_ELEMENTS;
		const int16_t *y = p->b.words + column * FAST_ELEMENTS;
		const double *a = p->a.wide + row * FAST_TILE, *b = p->b.wide + column * FAST_TILE;
		if (exact)
			add_block(x, a, y, b, sum, true);
		else
			add_block(x, a, y, b, sum, false);
	}
}

static void start(const struct fast_product *p, struct fast_part part, struct sums *s) {
	size_t tiles = part.end_tile - part.tile;
	for (size_t j = 0; j < part.end_strip - part.strip; j++) {
		memset(s->of[j], 0, tiles * sizeof s->of[j][0]);
		for (size_t i = 0; i < tiles; i++)
			s->exact[j][i] = fast_sums_are_exact(p, part.strip + j, part.tile + i, 1);
	}
}

/* Computes all tiles and strips a few blocks after the others: the strip's blocks stay in the
 * first-level cache, those of the tiles and the sums in the second level. */
void fast_words_vnni(const struct fast_product *p, struct fast_part part) {
	struct sums s;
	start(p, part, &s);
	for (size_t from = 0, end; from < p->a.blocks; from = end) {
		end = p->a.blocks - from < FAST_WORDS_BLOCKS ? p->a.blocks
		                                             : from + FAST_WORDS_BLOCKS;
		for (size_t j = part.strip; j < part.end_strip; j++)
			for (size_t i = part.tile; i < part.end_tile; i++)
				add_blocks(p, i, j, from, end, s.of[j - part.strip][i - part.tile],
				           s.exact[j - part.strip][i - part.tile]);
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
