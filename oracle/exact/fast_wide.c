/* Elements that need more than a byte: dots in f64, exact where fast.h says.
 *
 * acc + dot is rounded to f64 first and to f32 then. The two roundings together err
 * only where the first makes a number that is halfway between two f32, and then by the
 * sign of the first one's error, which is put right. */
#include "fast.h"

#include <math.h>
#include <string.h>

static uint64_t bits_of(double x) {
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

/* x + y rounded once to f32. */
static float rounded_sum(double x, double y) {
	enum { BELOW_F32 = 29 };
	double sum = x + y;
	if ((bits_of(sum) & ((1u << BELOW_F32) - 1)) == 1u << (BELOW_F32 - 1)) {
		double part = sum - x, error = (x - (sum - part)) + (y - part); /* exact */
		if (error)
			sum = nextafter(sum, error > 0 ? INFINITY : -INFINITY);
	}
	return (float)sum;
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
#include <immintrin.h>

bool fast_has_avx512(void) {
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

enum { LANES = 8, VECTORS = FAST_GROUP * FAST_TILE / LANES };

/* The dots of 8 rows, x[32][8], with a strip's columns, y[32][16]. */
__attribute__((target("avx512f,avx512dq"), noinline)) static void
group_dots(const double *x, const double *y, double *dots) {
	__m512d dot[FAST_GROUP][2];
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
#pragma GCC unroll 8
	for (int i = 0; i < FAST_GROUP; i++) {
		_mm512_store_pd(dots + i * FAST_TILE, dot[i][0]);
		_mm512_store_pd(dots + i * FAST_TILE + LANES, dot[i][1]);
	}
}

/* Sums that were made although some may be halfway between two f32. */
__attribute__((noinline, cold)) static void again(const double *old, const double *dots,
                                                  double *sum) {
	for (int j = 0; j < FAST_GROUP * FAST_TILE; j++)
		sum[j] = rounded_sum(old[j], dots[j]);
}

/* sum += dots, rounded to f32, of 8 rows. */
__attribute__((target("avx512f,avx512dq"))) static inline void add_dots(const double *dots,
                                                                       double *sum) {
	const __m512i below = _mm512_set1_epi64((1 << 29) - 1), half = _mm512_set1_epi64(1 << 28);
	_Alignas(64) double now[FAST_GROUP * FAST_TILE];
	__mmask8 doubtful = 0;
#pragma GCC unroll 16
	for (int i = 0; i < VECTORS; i++) {
		__m512d x = _mm512_add_pd(_mm512_load_pd(sum + i * LANES),
		                          _mm512_load_pd(dots + i * LANES));
		__m512i tail = _mm512_and_si512(_mm512_castpd_si512(x), below);
		doubtful |= _mm512_cmpeq_epi64_mask(tail, half);
		_mm512_store_pd(now + i * LANES, _mm512_cvtps_pd(_mm512_cvtpd_ps(x)));
	}
	if (__builtin_expect(doubtful, 0))
		again(sum, dots, now);
	memcpy(sum, now, sizeof now);
}

/* Tiles of a strip, block by block: the strip's block and the sums stay in the first cache. */
static void wide_strip(const struct fast_product *p, size_t strip, size_t tile, size_t tiles,
                       double *sum) {
	_Alignas(64) double dots[FAST_GROUP * FAST_TILE];
	size_t blocks = p->a.blocks;
	for (size_t b = 0; b < blocks; b++) {
		const double *y = p->b.wide + (strip * blocks + b) * FAST_ELEMENTS;
		for (size_t g = 0; g < 2 * tiles; g++) {
			const double *x = p->a.wide +
			                  ((tile + g / 2) * blocks + b) * FAST_ELEMENTS +
			                  g % 2 * FAST_GROUP * EXACT_BLOCK;
			group_dots(x, y, dots);
			add_dots(dots, sum + g * FAST_GROUP * FAST_TILE);
		}
	}
}

void fast_wide_avx512(const struct fast_product *p, struct fast_part part) {
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile += FAST_WIDE_TILES) {
			_Alignas(64) double sum[FAST_WIDE_TILES * FAST_TILE * FAST_TILE] = { 0 };
			float acc[FAST_TILE * FAST_TILE];
			size_t left = part.end_tile - tile;
			size_t tiles = left < FAST_WIDE_TILES ? left : FAST_WIDE_TILES;
			wide_strip(p, strip, tile, tiles, sum);
			for (size_t t = 0; t < tiles; t++) {
				for (int i = 0; i < FAST_TILE * FAST_TILE; i++)
					acc[i] = (float)sum[t * FAST_TILE * FAST_TILE + i];
				fast_store(p, tile + t, strip, acc);
			}
		}
}

#else

bool fast_has_avx512(void) {
	return false;
}
void fast_wide_avx512(const struct fast_product *p, struct fast_part part) {
	fast_wide_plain(p, part);
}

#endif
