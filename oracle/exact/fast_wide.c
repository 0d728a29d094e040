/* Elements that need more than a byte: dots in f64, exact under the conditions of fast.h.
 *
 * acc + dot is computed in f64, rounded to odd, and then rounded to f32: of the two f64 next to an
 * inexact sum the one with an odd last bit. It is no f32, nor the middle of two, subnormal ones
 * included, so the second rounding is that of the exact sum. */
#include "fast.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(double x) {
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

/* acc + dot rounded once to f32, or FAST_DOUBT. */
static float rounded_sum(float acc, double dot) {
	const uint32_t doubt = FAST_DOUBT;
	double x = (double)acc, sum = x + dot;
	double part = sum - x, error = (x - (sum - part)) + (dot - part); /* exact, or NaN */
	bool odd = bits_of(sum) & 1;
	if (dot == 0 && x == 0 && signbit(acc))
		memcpy(&acc, &doubt, sizeof acc);
	else
		acc = (float)(odd || !(error < 0 || error > 0)
		                      ? sum
		                      : nextafter(sum, error > 0 ? INFINITY : -INFINITY));
	return acc;
}

bool fast_sums_are_exact(const struct fast_product *p, size_t strip, size_t tile, size_t tiles) {
	enum { BITS = 53 };
	const struct fast_range *b = &p->b.range[strip];
	for (size_t t = tile; t < tile + tiles; t++) {
		const struct fast_range *a = &p->a.range[t];
		if (ldexp(2.0 * EXACT_BLOCK * (double)p->a.blocks, a->highest + b->highest) >=
		    ldexp(1, a->lowest + b->lowest + BITS))
			return false;
	}
	return true;
}

bool fast_may_underflow(const struct fast_product *p, size_t strip, size_t tile, size_t tiles) {
	enum { LEAST = -149 };
	for (size_t t = tile; t < tile + tiles; t++)
		if (p->a.range[t].lowest + p->b.range[strip].lowest < LEAST)
			return true;
	return false;
}

void fast_store_wide(const struct fast_product *p, size_t tile, size_t strip, const double *sum) {
	float acc[FAST_TILE * FAST_TILE];
	for (int i = 0; i < FAST_TILE * FAST_TILE; i++)
		acc[i] = (float)sum[i];
	fast_store(p, tile, strip, acc);
}

static void plain_tile(const struct fast_product *p, size_t strip, size_t tile, float *acc) {
	for (size_t b = 0; b < p->a.blocks; b++)
		for (size_t i = 0; i < FAST_TILE; i++) {
			const double *x = p->a.wide + (tile * p->a.blocks + b) * FAST_ELEMENTS +
			                  i / FAST_GROUP * FAST_GROUP * EXACT_BLOCK +
			                  i % FAST_GROUP;
			const double *y = p->b.wide + (strip * p->a.blocks + b) * FAST_ELEMENTS;
			double dot[FAST_TILE] = { 0 };
			for (size_t k = 0; k < EXACT_BLOCK; k++)
				for (size_t j = 0; j < FAST_TILE; j++)
					dot[j] += x[k * FAST_GROUP] * y[k * FAST_TILE + j];
			for (size_t j = 0; j < FAST_TILE; j++)
				acc[i * FAST_TILE + j] =
					rounded_sum(acc[i * FAST_TILE + j], dot[j]);
		}
}

void fast_wide_plain(const struct fast_product *p, struct fast_part part) {
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile++) {
			float acc[FAST_TILE * FAST_TILE] = { 0 };
			plain_tile(p, strip, tile, acc);
			fast_store(p, tile, strip, acc);
		}
}

#ifdef __x86_64__
#include "fast_odd.h"

enum { LANES = 8 };

/* What sums of f64 are: exact; to be rounded to odd; or also in doubt if they are zero. */
enum sums { EXACT_SUMS, ODD_SUMS, DOUBTFUL_SUMS };

/* The dots of 8 rows, x[32][8], with a strip's columns, y[32][16]. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
dots_of(const double *x, const double *y, __m512d dot[FAST_GROUP][2]) {
#pragma GCC unroll 8
	for (int i = 0; i < FAST_GROUP; i++)
		dot[i][0] = dot[i][1] = _mm512_setzero_pd();
#pragma GCC unroll 4
	for (int k = 0; k < EXACT_BLOCK; k++) {
		__m512d y0 = _mm512_load_pd(y + k * FAST_TILE);
		__m512d y1 = _mm512_load_pd(y + k * FAST_TILE + LANES);
#pragma GCC unroll 8
		for (int i = 0; i < FAST_GROUP; i++) {
			__m512d a = _mm512_set1_pd(x[k * FAST_GROUP + i]);
			dot[i][0] = _mm512_fmadd_pd(a, y0, dot[i][0]);
			dot[i][1] = _mm512_fmadd_pd(a, y1, dot[i][1]);
		}
	}
}

/* Adds these dots to their sums. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
add_group(const double *x, const double *y, double *sum, enum sums sums) {
	const __m512d one = _mm512_set1_pd(1); /* the elements include the scales */
	__m512d dot[FAST_GROUP][2];
	dots_of(x, y, dot);
#pragma GCC unroll 8
	for (int i = 0; i < FAST_GROUP; i++)
#pragma GCC unroll 2
		for (int h = 0; h < 2; h++) {
			double *to = sum + i * FAST_TILE + h * LANES;
			__m512d before = _mm512_load_pd(to);
			__m512d after = fast_add_dot(before, dot[i][h], one, sums == EXACT_SUMS);
			if (sums == DOUBTFUL_SUMS)
				after = fast_doubt(before, dot[i][h], after);
			_mm512_store_pd(to, after);
		}
}

__attribute__((target("avx512f,avx512dq"), noinline)) static void
add_group_exact(const double *x, const double *y, double *sum) {
	add_group(x, y, sum, EXACT_SUMS);
}

__attribute__((target("avx512f,avx512dq"), noinline)) static void
add_group_odd(const double *x, const double *y, double *sum) {
	add_group(x, y, sum, ODD_SUMS);
}

__attribute__((target("avx512f,avx512dq"), noinline)) static void
add_group_doubtful(const double *x, const double *y, double *sum) {
	add_group(x, y, sum, DOUBTFUL_SUMS);
}

typedef void add_some(const double *x, const double *y, double *sum);

static add_some *choose_sums(const struct fast_product *p, size_t strip, size_t tile,
                             size_t tiles) {
	if (fast_may_underflow(p, strip, tile, tiles))
		return add_group_doubtful;
	return fast_sums_are_exact(p, strip, tile, tiles) ? add_group_exact : add_group_odd;
}

/* Prefetches lines into the first-level cache. Blocks are separate pages, where the processor's own
 * prefetching starts again. */
static inline void fetch(const double *p, size_t doubles) {
	for (size_t i = 0; i < doubles; i += LANES)
		__builtin_prefetch(p + i);
}

/* Adds some blocks of tiles of a strip, block by block: the strip's block and the sums stay in the
 * first-level cache. */
static void wide_strip(const struct fast_product *p, size_t strip, size_t tile, size_t tiles,
                       size_t from, size_t end, double *sum) {
	enum { GROUP = FAST_GROUP * EXACT_BLOCK };
	size_t blocks = p->a.blocks, groups = 2 * tiles;
	add_some *add = choose_sums(p, strip, tile, tiles);
	const double *y = p->b.wide + (strip * blocks + from) * FAST_ELEMENTS;
	const double *a = p->a.wide + (tile * blocks + from) * FAST_ELEMENTS;
	for (size_t b = from; b < end; b++, y += FAST_ELEMENTS, a += FAST_ELEMENTS)
		for (size_t g = 0; g < groups; g++) {
			size_t next = g + 1 < groups ? g + 1 : 0;
			const double *x = a + g / 2 * blocks * FAST_ELEMENTS + g % 2 * GROUP;
			const double *after = a + next / 2 * blocks * FAST_ELEMENTS +
			                      next % 2 * GROUP + (next ? 0 : FAST_ELEMENTS);
			fetch(after, GROUP);
			fetch(y + FAST_ELEMENTS + g * FAST_ELEMENTS / groups,
			      FAST_ELEMENTS / groups);
			add(x, y, sum + g * FAST_GROUP * FAST_TILE);
		}
}

/* Computes some tiles of all strips, some blocks after the others: those of the tiles stay in the
 * second-level cache. */
void fast_wide_avx512(const struct fast_product *p, struct fast_part part) {
	enum { SUMS = FAST_TILE * FAST_TILE };
	_Alignas(64) double sum[FAST_WIDE_STRIPS][FAST_WIDE_TILES * SUMS];
	size_t tiles = part.end_tile - part.tile, blocks = p->a.blocks, end;
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		memset(sum[strip - part.strip], 0, tiles * SUMS * sizeof **sum);
	for (size_t b = 0; b < blocks; b = end) {
		end = blocks - b < FAST_WIDE_BLOCKS ? blocks : b + FAST_WIDE_BLOCKS;
		for (size_t strip = part.strip; strip < part.end_strip; strip++)
			wide_strip(p, strip, part.tile, tiles, b, end, sum[strip - part.strip]);
	}
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t t = 0; t < tiles; t++)
			fast_store_wide(p, part.tile + t, strip,
			                sum[strip - part.strip] + t * SUMS);
}

/* ---- elements in two parts ----
 *
 * The elements of a block have at most 32 bits from the unit of the smallest to the largest (E5M2),
 * and 32 of them at most 37 bits with their sum. So the dots of the 16 upper bits of one operand,
 * and of the 16 lower, have at most 53: both are exact. */

enum { HIGH_BITS = 16 };

/* Splits a block of 8 rows, x[32][8]: each element into the nearest multiple of the row's largest
 * power of two, divided by 2^15, and the rest. */
__attribute__((target("avx512f,avx512dq"))) static void split(const double *x, double *high,
                                                              double *low) {
	__m512d most = _mm512_setzero_pd();
	for (int k = 0; k < EXACT_BLOCK; k++)
		most = _mm512_max_pd(most, _mm512_abs_pd(_mm512_load_pd(x + k * LANES)));
	/* A sum of 2^52 units and more is a multiple of the unit. */
	__m512d exponent = _mm512_add_pd(_mm512_getexp_pd(most), _mm512_set1_pd(53 - HIGH_BITS));
	__m512d large = _mm512_scalef_pd(_mm512_set1_pd(1.5), exponent);
	for (int k = 0; k < EXACT_BLOCK; k++) {
		__m512d all = _mm512_load_pd(x + k * LANES);
		__m512d part = _mm512_sub_pd(_mm512_add_pd(all, large), large);
		_mm512_store_pd(high + k * LANES, part);
		_mm512_store_pd(low + k * LANES, _mm512_sub_pd(all, part));
	}
}

__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __mmask8
is_finite(__m512d x) {
	return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(INFINITY), _CMP_LT_OQ);
}

/* Dots that are not finite, of parts that may be 0 times infinity, become those of the elements. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
mend(const double *x, const double *y, __m512d high[FAST_GROUP][2], __m512d low[FAST_GROUP][2]) {
	__m512d all[FAST_GROUP][2];
	__mmask8 finite = 0xff;
	for (int i = 0; i < FAST_GROUP; i++)
		for (int h = 0; h < 2; h++)
			finite &= is_finite(_mm512_add_pd(high[i][h], low[i][h]));
	if (finite == 0xff)
		return;
	dots_of(x, y, all);
	for (int i = 0; i < FAST_GROUP; i++)
		for (int h = 0; h < 2; h++) {
			finite = is_finite(_mm512_add_pd(high[i][h], low[i][h]));
			high[i][h] = _mm512_mask_mov_pd(all[i][h], finite, high[i][h]);
			low[i][h] = _mm512_maskz_mov_pd(finite, low[i][h]);
		}
}

/* sum + high + low rounded to f32 once [Boldo and Melquiond, Emulation of a FMA and correctly
 * rounded sums: proved algorithms using rounding to odd, 2008]. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512d
add_both(__m512d sum, __m512d high, __m512d low) {
	const __m512d one = _mm512_set1_pd(1);
	__m512d of_dot, of_all, dot = fast_two_sum(high, low, &of_dot);
	__m512d all = fast_two_sum(sum, dot, &of_all);
	__m512d after = fast_add_dot(all, fast_odd_sum(of_all, of_dot, one), one, false);
	return fast_doubt(sum, dot, _mm512_mask_mov_pd(all, is_finite(all), after));
}

__attribute__((target("avx512f,avx512dq"))) static void add_split(const double *x, const double *y,
                                                                  double *sum) {
	_Alignas(64) double high[FAST_GROUP * EXACT_BLOCK], low[FAST_GROUP * EXACT_BLOCK];
	__m512d of_high[FAST_GROUP][2], of_low[FAST_GROUP][2];
	split(x, high, low);
	dots_of(high, y, of_high);
	dots_of(low, y, of_low);
	mend(x, y, of_high, of_low);
	for (int i = 0; i < FAST_GROUP; i++)
		for (int h = 0; h < 2; h++) {
			double *to = sum + i * FAST_TILE + h * LANES;
			_mm512_store_pd(to,
			                add_both(_mm512_load_pd(to), of_high[i][h], of_low[i][h]));
		}
}

void fast_split_tile(const struct fast_product *p, size_t tile, size_t strip) {
	_Alignas(64) double sum[FAST_TILE * FAST_TILE] = { 0 };
	enum { GROUP = FAST_GROUP * EXACT_BLOCK };
	const double *y = p->b.wide + strip * p->a.blocks * FAST_ELEMENTS;
	const double *x = p->a.wide + tile * p->a.blocks * FAST_ELEMENTS;
	for (size_t b = 0; b < p->a.blocks; b++, y += FAST_ELEMENTS, x += FAST_ELEMENTS)
		for (size_t g = 0; g < 2; g++)
			add_split(x + g * GROUP, y, sum + g * FAST_GROUP * FAST_TILE);
	fast_store_wide(p, tile, strip, sum);
}

#else

void fast_wide_avx512(const struct fast_product *p, struct fast_part part) {
	fast_wide_plain(p, part);
}

void fast_split_tile(const struct fast_product *p, size_t tile, size_t strip) {
	(void)p, (void)tile, (void)strip;
}

#endif
