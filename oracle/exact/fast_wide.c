/* Formats whose sigs need more than a byte: dots in f64, exact while they stay below 2^53.
 *
 * acc + dot * 2^e is rounded to f64 first and to f32 then. The two roundings together err
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

void fast_wide_plain(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	size_t blocks = p->a.blocks;
	for (size_t row = first; row < end; row += FAST_TILE) {
		float acc[FAST_TILE * FAST_TILE] = { 0 };
		for (size_t b = 0; b < blocks; b++)
			for (size_t i = 0; i < FAST_TILE; i++) {
				size_t group = (row + i) / FAST_GROUP;
				const double *x = p->a.wide +
				                  (group * blocks + b) * EXACT_BLOCK * FAST_GROUP +
				                  i % FAST_GROUP;
				const double *y =
					p->b.wide + (strip * blocks + b) * EXACT_BLOCK * FAST_TILE;
				double fa = p->a.factor[b * p->a.padded + row + i];
				const float *fb = p->b.factor + (strip * blocks + b) * FAST_TILE;
				double dot[FAST_TILE] = { 0 };
				for (size_t k = 0; k < EXACT_BLOCK; k++)
					for (size_t j = 0; j < FAST_TILE; j++)
						dot[j] += x[k * FAST_GROUP] * y[k * FAST_TILE + j];
				for (size_t j = 0; j < FAST_TILE; j++)
					acc[i * FAST_TILE + j] = rounded_sum(acc[i * FAST_TILE + j],
					                                     dot[j] * (fa * fb[j]));
			}
		fast_store(p, row, strip * FAST_TILE, acc);
	}
}

#ifdef __x86_64__
#include <immintrin.h>

bool fast_has_avx512(void) {
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

enum { ROWS = FAST_GROUP, HALVES = 2, LANES = 8 };

/* The doubtful ones among 8 sums, again. */
__attribute__((target("avx512f,avx512dq"), noinline, cold)) static void
again(__m512d old, __m512d add, unsigned doubtful, double *sum) {
	double x[LANES], y[LANES];
	_mm512_storeu_pd(x, old);
	_mm512_storeu_pd(y, add);
	for (int j = 0; j < LANES; j++)
		if (doubtful >> j & 1)
			sum[j] = rounded_sum(x[j], y[j]);
}

/* sum[8] = its f32 after dot * factor is added; sums that are halfway are doubtful. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
add_dots(__m512d dot, __m512d factor, double *sum) {
	const __m512i below = _mm512_set1_epi64((1 << 29) - 1), half = _mm512_set1_epi64(1 << 28);
	__m512d old = _mm512_load_pd(sum), add = _mm512_mul_pd(dot, factor);
	__m512d now = _mm512_add_pd(old, add);
	__mmask8 doubtful =
		_mm512_cmpeq_epi64_mask(_mm512_and_si512(_mm512_castpd_si512(now), below), half);
	_mm512_store_pd(sum, _mm512_cvtps_pd(_mm512_cvtpd_ps(now)));
	if (__builtin_expect(doubtful, 0))
		again(old, add, doubtful, sum);
}

/* 8 rows of a strip; sum: [8][16], f32 values. */
__attribute__((target("avx512f,avx512dq"))) static void
wide_rows(const struct fast_product *p, size_t strip, size_t row, double *sum) {
	size_t blocks = p->a.blocks;
	const double *x = p->a.wide + row * blocks * EXACT_BLOCK;
	for (size_t b = 0; b < blocks; b++) {
		const double *y = p->b.wide + (strip * blocks + b) * EXACT_BLOCK * FAST_TILE;
		const float *fb = p->b.factor + (strip * blocks + b) * FAST_TILE;
		__m512d dot[ROWS][HALVES];
#pragma GCC unroll 8
		for (int i = 0; i < ROWS; i++)
			dot[i][0] = dot[i][1] = _mm512_setzero_pd();
		for (int k = 0; k < EXACT_BLOCK; k++) {
			__m512d y0 = _mm512_load_pd(y + k * FAST_TILE);
			__m512d y1 = _mm512_load_pd(y + k * FAST_TILE + LANES);
#pragma GCC unroll 8
			for (int i = 0; i < ROWS; i++) {
				__m512d a = _mm512_set1_pd(x[(b * EXACT_BLOCK + k) * ROWS + i]);
				dot[i][0] = _mm512_fmadd_pd(a, y0, dot[i][0]);
				dot[i][1] = _mm512_fmadd_pd(a, y1, dot[i][1]);
			}
		}
		__m512d f0 = _mm512_cvtps_pd(_mm256_load_ps(fb));
		__m512d f1 = _mm512_cvtps_pd(_mm256_load_ps(fb + LANES));
#pragma GCC unroll 8
		for (int i = 0; i < ROWS; i++) {
			__m512d fa = _mm512_set1_pd(p->a.factor[b * p->a.padded + row + i]);
			add_dots(dot[i][0], _mm512_mul_pd(fa, f0), sum + i * FAST_TILE);
			add_dots(dot[i][1], _mm512_mul_pd(fa, f1), sum + i * FAST_TILE + LANES);
		}
	}
}

void fast_wide_avx512(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	for (size_t row = first; row < end; row += FAST_TILE) {
		_Alignas(64) double sum[FAST_TILE * FAST_TILE] = { 0 };
		float acc[FAST_TILE * FAST_TILE];
		wide_rows(p, strip, row, sum);
		wide_rows(p, strip, row + ROWS, sum + ROWS * FAST_TILE);
		for (int i = 0; i < FAST_TILE * FAST_TILE; i++)
			acc[i] = (float)sum[i];
		fast_store(p, row, strip * FAST_TILE, acc);
	}
}

#else

bool fast_has_avx512(void) {
	return false;
}
void fast_wide_avx512(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	fast_wide_plain(p, strip, first, end);
}

#endif
