/* What the methods of the scaled MFMA in AVX-512 share: codes, scales and results as vectors. */
#ifndef MX_AVX512_H
#define MX_AVX512_H

#include "tile.h"
#include "values.h"

#include <immintrin.h>

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni,fma")))

enum { LINE = 64 }; /* bytes of a vector and of a cache line */
enum { WIDE = 16 }; /* columns computed together: a quarter of a wave */
enum { RUN = 16 };  /* elements of a lane that are consecutive in k, in all layouts */
enum {
	DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC,
	UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
	NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC
};

/* sum += products of the two words of `pair` and those of each lane. The instruction loads the pair
 * itself, for which compilers use a second one. */
AVX512 INLINE __m512i add_products(__m512i sum, __m512i lanes, const uint32_t *pair) {
	__asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(lanes), "m"(*pair));
	return sum;
}

/* Element j of WIDE consecutive lanes. */
AVX512 INLINE __m512i codes(unsigned bits, const uint32_t (*regs)[MX_LANES], unsigned lane,
                            unsigned j) {
	unsigned at = bits * j / 32, shift = bits * j % 32;
	__m512i code = _mm512_srli_epi32(_mm512_loadu_si512(&regs[at][lane]), shift);
	if (shift + bits > 32)
		code = _mm512_or_si512(
			code,
			_mm512_slli_epi32(_mm512_loadu_si512(&regs[at + 1][lane]), 32 - shift));
	return _mm512_and_si512(code, _mm512_set1_epi32((1 << bits) - 1));
}

/* The values of codes. The fields of a normal move to their places in a float; a subnormal is its
 * significand times the unit. Neither uses subnormal floats, which are slow. */
AVX512 INLINE __m512 values(const struct mx_format_info *t, __m512i code) {
	unsigned sign = 1u << (t->bits - 1);
	unsigned special = t->specials == MX_FINITE     ? sign
	                   : t->specials == MX_NAN_ONLY ? sign - 1
	                                                : sign - (1u << t->man_bits);
	unsigned unit = 127 + 1 - t->bias - t->man_bits; /* field of its power of two */
	__m512i magnitude = _mm512_and_si512(code, _mm512_set1_epi32(sign - 1));
	__m512i x = _mm512_add_epi32(_mm512_slli_epi32(magnitude, MX_F32_MAN - t->man_bits),
	                             _mm512_set1_epi32((127 - t->bias) << MX_F32_MAN));
	__m512 small = _mm512_mul_ps(_mm512_cvtepi32_ps(magnitude),
	                             _mm512_castsi512_ps(_mm512_set1_epi32(unit << MX_F32_MAN)));
	__mmask16 is_small =
		_mm512_cmplt_epu32_mask(magnitude, _mm512_set1_epi32(1 << t->man_bits));
	x = _mm512_mask_mov_epi32(x, is_small, _mm512_castps_si512(small));
	__mmask16 is_special = _mm512_cmpge_epu32_mask(magnitude, _mm512_set1_epi32(special));
	x = _mm512_mask_or_epi32(x, is_special, x, _mm512_set1_epi32(MX_F32_INF));
	__m512i negative = _mm512_slli_epi32(code, 32 - t->bits);
	return _mm512_castsi512_ps(_mm512_or_si512(
		x, _mm512_and_si512(negative, _mm512_set1_epi32((int)MX_F32_SIGN))));
}

/* Scales of WIDE lanes. A byte is the exponent field of its float, except 0x00 and 0xFF. */
AVX512 INLINE __m512 e8m0_scales_of(const uint8_t *code) {
	__m512i byte = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)code));
	__m512i x = _mm512_slli_epi32(byte, MX_F32_MAN);
	__mmask16 nan = _mm512_cmpeq_epi32_mask(byte, _mm512_set1_epi32(0xFF));
	x = _mm512_mask_mov_epi32(x, _mm512_testn_epi32_mask(byte, byte),
	                          _mm512_set1_epi32(1 << (MX_F32_MAN - 1)));
	return _mm512_castsi512_ps(_mm512_mask_mov_epi32(x, nan, _mm512_set1_epi32(MX_F32_NAN)));
}

/* The accumulators by row, in strips of WIDE columns. */
struct results {
	_Alignas(LINE) float acc[MX_TILE_MN / WIDE][MX_TILE_MN][WIDE];
};

AVX512 INLINE void load_results_of(struct results *x, mx_shape shape,
                                   const uint32_t (*c)[MX_LANES]) {
	unsigned row, col;
	for (unsigned r = 0; r < mx_results(shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			mx_place_result(shape, lane, r, &row, &col);
			memcpy(x->acc[col / WIDE][row], &c[r][lane], sizeof x->acc[0][0]);
		}
}

AVX512 INLINE void load_results(struct results *x, const struct mx_mma_args *g) {
	if (g->shape == MX_16X16X128)
		load_results_of(x, MX_16X16X128, g->c);
	else
		load_results_of(x, MX_32X32X64, g->c);
}

AVX512 INLINE __m512i with_one_nan(__m512 x) {
	__mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
	return _mm512_mask_mov_epi32(_mm512_castps_si512(x), nan, _mm512_set1_epi32(MX_F32_NAN));
}

AVX512 INLINE void store_results_of(const struct results *x, mx_shape shape,
                                    uint32_t (*d)[MX_LANES]) {
	unsigned row, col;
	for (unsigned r = 0; r < mx_results(shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			mx_place_result(shape, lane, r, &row, &col);
			_mm512_storeu_si512(&d[r][lane],
			                    with_one_nan(_mm512_loadu_ps(x->acc[col / WIDE][row])));
		}
}

AVX512 INLINE void store_results(const struct results *x, const struct mx_mma_args *g) {
	if (g->shape == MX_16X16X128)
		store_results_of(x, MX_16X16X128, g->d);
	else
		store_results_of(x, MX_32X32X64, g->d);
}

/* Of some columns, those with an accumulator of -0. */
AVX512 INLINE __mmask16 negative_zeros(__mmask16 of, __m512 acc) {
	return _mm512_mask_cmpeq_epi32_mask(of, _mm512_castps_si512(acc),
	                                    _mm512_set1_epi32((int)MX_F32_SIGN));
}

/* Whether an accumulator is -0, which is the least integer. */
AVX512 INLINE bool any_negative_zero(const struct results *x, unsigned MN) {
	__m512i least = _mm512_setzero_si512();
	for (unsigned strip = 0; strip < MN / WIDE; strip++)
		for (unsigned row = 0; row < MN; row++)
			least = _mm512_min_epi32(least, _mm512_load_si512(x->acc[strip][row]));
	return _mm512_cmpeq_epi32_mask(least, _mm512_set1_epi32(INT32_MIN));
}

/* The processor's flag of inexact results. Instructions that have their own rounding do not set it.
 * What is between these calls has to be a function that is not inline. */
INLINE void clear_inexact(void) {
	unsigned csr = __builtin_ia32_stmxcsr();
	if (csr & _MM_EXCEPT_INEXACT)
		__builtin_ia32_ldmxcsr(csr & ~(unsigned)_MM_EXCEPT_INEXACT);
}
INLINE bool was_inexact(void) {
	return __builtin_ia32_stmxcsr() & _MM_EXCEPT_INEXACT;
}

/* A sum rounded to odd, of the sum rounded down and up. */
AVX512 INLINE __m512d to_odd_of(__m512d down, __m512d up) {
	__mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(down), _mm512_set1_epi64(1));
	return _mm512_mask_mov_pd(up, odd, down);
}

/* By strip and row, the columns that are not certain. */
typedef __mmask16 columns[MX_TILE_MN / WIDE][MX_TILE_MN];

/* The lanes that are not certain. Their results become C again, because D may be C. */
AVX512 static inline bool find_uncertain(const struct mx_mma_args *g, const columns bad,
                                         struct results *r, uint64_t again[MX_TILE_RESULTS]) {
	uint64_t any = 0;
	unsigned row, col;
	for (unsigned i = 0; i < mx_results(g->shape); i++) {
		again[i] = 0;
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			mx_place_result(g->shape, lane, i, &row, &col);
			float *acc = r->acc[col / WIDE][row];
			__mmask16 m = bad[col / WIDE][row];
			_mm512_mask_storeu_ps(acc, m, _mm512_loadu_ps(&g->c[i][lane]));
			again[i] |= (uint64_t)m << lane;
		}
		any |= again[i];
	}
	return any;
}

#endif
