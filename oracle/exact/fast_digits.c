/* Elements of at most 20 bits, among them E4M3 and E3M2, by AMX. sig has three digits to the base
 * 128, of -64 to 63 each. A dot of sigs is nine dots of digits at five digit positions:
 *
 *   dot = L + 2^14 H,   L = d0 + 2^7 d1,   H = d2 + 2^7 d3 + 2^14 d4.
 *
 * Dots of digits are below 2^17. So d1 and d3, of two dots, are below 2^18, and d2 is below 2^19. L
 * fits an int32. So does H, because the highest digits are below 16 and d4 is then below 2^13. */
#include "fast.h"

#ifdef __x86_64__
#include "fast_odd.h"

enum { LANES = 8, POSITIONS = 5, BASE_BITS = 7 };

/* Tiles 0 to 4: digit positions. 5: digits of rows. 6 and 7: of columns. */
/* sum[8] += (low + 2^14 high) * factor */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
add_half(__m256i low, __m256i high, __m512d factor, double *sum, bool exact) {
	const __m512d shift = _mm512_set1_pd(1 << 2 * BASE_BITS);
	__m512d dot = _mm512_fmadd_pd(_mm512_cvtepi32_pd(high), shift, _mm512_cvtepi32_pd(low));
	_mm512_store_pd(sum, fast_add_dot(_mm512_load_pd(sum), dot, factor, exact));
}

/* The addends: the dots of a block, from this position on, and factors. */
struct addends {
	const int32_t *dots;
	const float *fa, *fb;
	__m512d unit;
	double *sum;
};

/* sum[row][16] += dots * factors, for two rows. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline void
add_rows(const struct addends *x, int first, bool exact) {
	enum { PLACE = FAST_TILE * FAST_TILE };
	__m512d f0 = _mm512_mul_pd(_mm512_cvtps_pd(_mm256_load_ps(x->fb)), x->unit);
	__m512d f1 = _mm512_mul_pd(_mm512_cvtps_pd(_mm256_load_ps(x->fb + LANES)), x->unit);
#pragma GCC unroll 2
	for (int i = first; i < first + 2; i++) {
		const int32_t *d = x->dots + i * FAST_TILE;
		double *sum = x->sum + i * FAST_TILE;
		__m512i high = _mm512_slli_epi32(_mm512_load_si512(d + 4 * PLACE), BASE_BITS);
		__m512i low = _mm512_slli_epi32(_mm512_load_si512(d + PLACE), BASE_BITS);
		high = _mm512_add_epi32(_mm512_load_si512(d + 3 * PLACE), high);
		low = _mm512_add_epi32(_mm512_load_si512(d), low);
		high = _mm512_add_epi32(_mm512_load_si512(d + 2 * PLACE),
		                        _mm512_slli_epi32(high, BASE_BITS));
		__m512d f = _mm512_set1_pd((double)x->fa[i]);
		add_half(_mm512_castsi512_si256(low), _mm512_castsi512_si256(high),
		         _mm512_mul_pd(f, f0), sum, exact);
		add_half(_mm512_extracti64x4_epi64(low, 1), _mm512_extracti64x4_epi64(high, 1),
		         _mm512_mul_pd(f, f1), sum + LANES, exact);
	}
}

#define ROWS(i)        _tile_loadd(5, a + (i)*FAST_ELEMENTS, EXACT_BLOCK)
#define COLUMNS(t, j)  _tile_loadd(t, b + (j)*FAST_ELEMENTS, 64)
#define TAKE(position) _tile_stored(position, dots + (position)*FAST_TILE * FAST_TILE, 64)
#define ADD(row)                                                                                   \
	if (x)                                                                                     \
		add_rows(x, row, exact);

/* Computes the dots of a block while those of the block before, if any, are added. So there is
 * always an operation that need not wait. */
__attribute__((target("amx-tile,amx-int8,avx512f,avx512dq"), always_inline)) static inline void
make_dots(const int8_t *a, const int8_t *b, int32_t *dots, const struct addends *x, bool exact) {
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
	_tile_zero(4);
	COLUMNS(6, 0);
	COLUMNS(7, 1);
	ROWS(0);
	_tile_dpbssd(0, 5, 6);
	ADD(0)
	_tile_dpbssd(1, 5, 7);
	ROWS(1);
	ADD(2)
	_tile_dpbssd(2, 5, 7);
	_tile_dpbssd(1, 5, 6);
	ADD(4)
	ROWS(2);
	_tile_dpbssd(3, 5, 7);
	TAKE(0);
	ADD(6)
	_tile_dpbssd(2, 5, 6);
	COLUMNS(7, 2);
	ADD(8)
	_tile_dpbssd(4, 5, 7);
	ROWS(1);
	TAKE(1);
	ADD(10)
	_tile_dpbssd(3, 5, 7);
	ROWS(0);
	ADD(12)
	_tile_dpbssd(2, 5, 7);
	TAKE(4);
	ADD(14)
	TAKE(3);
	TAKE(2);
}

__attribute__((target("amx-tile,amx-int8,avx512f,avx512dq"), always_inline)) static inline void
digits_tile(const struct fast_product *p, size_t tile, size_t strip, double *sum, bool exact) {
	enum { BLOCK = FAST_DIGITS_OF * FAST_ELEMENTS, DOTS = POSITIONS * FAST_TILE * FAST_TILE };
	_Alignas(64) int32_t dots[2][DOTS];
	size_t blocks = p->a.blocks;
	const int8_t *a = p->a.bytes + tile * blocks * BLOCK;
	const int8_t *b = p->b.bytes + strip * blocks * BLOCK;
	struct addends x = { dots[0], p->a.factor + tile * blocks * FAST_TILE,
		             p->b.factor + strip * blocks * FAST_TILE, _mm512_set1_pd(p->unit),
		             sum };
	if (blocks)
		make_dots(a, b, dots[0], NULL, exact);
	for (size_t n = 1; n < blocks; n++) {
		make_dots(a + n * BLOCK, b + n * BLOCK, dots[n % 2], &x, exact);
		x.fa += FAST_TILE, x.fb += FAST_TILE;
		x.dots = dots[n % 2];
	}
	for (int row = 0; blocks && row < FAST_TILE; row += 2)
		add_rows(&x, row, exact);
}

__attribute__((target("amx-tile,amx-int8,avx512f,avx512dq"), noinline)) static void
digits_exact(const struct fast_product *p, size_t tile, size_t strip, double *sum) {
	digits_tile(p, tile, strip, sum, true);
}

__attribute__((target("amx-tile,amx-int8,avx512f,avx512dq"), noinline)) static void
digits_rounded(const struct fast_product *p, size_t tile, size_t strip, double *sum) {
	digits_tile(p, tile, strip, sum, false);
}

void fast_digits_amx(const struct fast_product *p, struct fast_part part) {
	fast_amx_configure(1 << 5, 1 << 6 | 1 << 7);
	for (size_t tile = part.tile; tile < part.end_tile; tile++)
		for (size_t strip = part.strip; strip < part.end_strip; strip++) {
			_Alignas(64) double sum[FAST_TILE * FAST_TILE] = { 0 };
			bool exact = fast_sums_are_exact(p, strip, tile, 1);
			(exact ? digits_exact : digits_rounded)(p, tile, strip, sum);
			fast_store_wide(p, tile, strip, sum);
		}
}

#else

void fast_digits_amx(const struct fast_product *p, struct fast_part part) {
	(void)p;
	(void)part; /* not called: no MX_CPU_AMX */
}

#endif
