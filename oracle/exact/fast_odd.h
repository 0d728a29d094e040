/* Sums of f64 that are rounded to f32 once, eight at a time. */
#ifndef EXACT_FAST_ODD_H
#define EXACT_FAST_ODD_H

#include <immintrin.h>
#include <stdbool.h>

/* sum + dot * factor rounded to odd, if it is finite: the exact sum, or of the two f64 next to it
 * the one with an odd last bit. The product is exact. A zero that is not the sum of -0 alone is +0.
 */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512d
fast_odd_sum(__m512d sum, __m512d dot, __m512d factor) {
	enum { QUIET = _MM_FROUND_NO_EXC };
	__m512d low = _mm512_fmadd_round_pd(dot, factor, sum, _MM_FROUND_TO_NEG_INF | QUIET);
	__m512d high = _mm512_fmadd_round_pd(dot, factor, sum, _MM_FROUND_TO_POS_INF | QUIET);
	__mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(low), _mm512_set1_epi64(1));
	return _mm512_mask_mov_pd(high, odd, low);
}

/* sum + dot * factor rounded to f32; the product is exact. If the sum in f64 may be inexact, it is
 * rounded to odd. Then the rounding to f32, which has 29 bits fewer, is equal to a single rounding.
 * A sum that should be exact and is not sets the flag of inexact results; nothing else here does. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m256
fast_f32_sum(__m512d sum, __m512d dot, __m512d factor, bool exact) {
	return _mm512_cvt_roundpd_ps(exact ? _mm512_fmadd_pd(dot, factor, sum)
	                                   : fast_odd_sum(sum, dot, factor),
	                             _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* The flag of inexact results. What is between these calls has to be a function that is not inline.
 */
static inline void fast_clear_inexact(void) {
	unsigned csr = __builtin_ia32_stmxcsr();
	if (csr & _MM_EXCEPT_INEXACT)
		__builtin_ia32_ldmxcsr(csr & ~(unsigned)_MM_EXCEPT_INEXACT);
}
static inline bool fast_was_inexact(void) {
	return __builtin_ia32_stmxcsr() & _MM_EXCEPT_INEXACT;
}

/* The same as an f64. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512d
fast_add_dot(__m512d sum, __m512d dot, __m512d factor, bool exact) {
	return _mm512_cvtps_pd(fast_f32_sum(sum, dot, factor, exact));
}

/* a + b, and in *error what it lacks, if it is finite [Knuth, TwoSum]. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512d
fast_two_sum(__m512d a, __m512d b, __m512d *error) {
	__m512d sum = _mm512_add_pd(a, b), part = _mm512_sub_pd(sum, a);
	*error = _mm512_add_pd(_mm512_sub_pd(a, _mm512_sub_pd(sum, part)), _mm512_sub_pd(b, part));
	return sum;
}

/* sum, or FAST_DOUBT where a zero dot was added to -0. Later sums keep it, or are another NaN. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512d
fast_doubt(__m512d before, __m512d dot, __m512d sum) {
	enum { MANTISSA = 0x7fffff, BELOW_F32 = 29, EXPONENT_AT = 52 };
	const long long doubt =
		0x7ffll << EXPONENT_AT | (FAST_DOUBT & MANTISSA) * (1ll << BELOW_F32);
	const __m512i negative_zero = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
	__mmask8 was = _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(before), negative_zero);
	__mmask8 in_doubt = _mm512_mask_cmp_pd_mask(was, dot, _mm512_setzero_pd(), _CMP_EQ_OQ);
	__m512i bits = _mm512_castpd_si512(sum);
	return _mm512_castsi512_pd(_mm512_mask_set1_epi64(bits, in_doubt, doubt));
}

#endif
