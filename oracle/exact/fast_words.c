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
add_block(const int16_t *x, const double *a, const int16_t *y, const double *b, double *sum,
          bool exact) {
	__m512i dot[FAST_TILE];
	dots_of(x, y, dot);
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
#pragma GCC unroll 2
		for (int h = 0; h < 2; h++, sum += LANES) {
			__m512d factor =
				_mm512_mul_pd(_mm512_set1_pd(a[i]), _mm512_load_pd(b + h * LANES));
			__m512d d = _mm512_cvtepi32_pd(h ? _mm512_extracti64x4_epi64(dot[i], 1)
			                                 : _mm512_castsi512_si256(dot[i]));
			_mm512_store_pd(sum, fast_add_dot(_mm512_load_pd(sum), d, factor, exact));
		}
}

__attribute__((target("avx512f,avx512dq,avx512vnni"), noinline)) static void
words_tile(const struct fast_product *p, size_t tile, size_t strip, double *sum) {
	size_t row = tile * p->a.blocks, column = strip * p->a.blocks;
	bool exact = fast_sums_are_exact(p, strip, tile, 1);
	for (size_t n = 0; n < p->a.blocks; n++, row++, column++) {
		const int16_t *x = p->a.words + row * FAST_ELEMENTS;
		const int16_t *y = p->b.words + column * FAST_ELEMENTS;
		const double *a = p->a.wide + row * FAST_TILE, *b = p->b.wide + column * FAST_TILE;
		if (exact)
			add_block(x, a, y, b, sum, true);
		else
			add_block(x, a, y, b, sum, false);
	}
}

void fast_words_vnni(const struct fast_product *p, struct fast_part part) {
	for (size_t tile = part.tile; tile < part.end_tile; tile++)
		for (size_t strip = part.strip; strip < part.end_strip; strip++) {
			_Alignas(64) double sum[FAST_TILE * FAST_TILE] = { 0 };
			words_tile(p, tile, strip, sum);
			fast_store_wide(p, tile, strip, sum);
		}
}

#else

void fast_words_vnni(const struct fast_product *p, struct fast_part part) {
	(void)p;
	(void)part; /* not called: no MX_CPU_VNNI */
}

#endif
