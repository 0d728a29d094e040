/* Dots under a member of the family (exact.h) in f64, eight columns at a time.
 *
 * An item has at most 26 bits, so a product is an exact f64. Divided by its unit, a power of two,
 * it is cut to an integer by one rounding. Integers stay below 2^52: align, dot, acc and join are
 * at most 40, a step has at most 128 terms, and a term is below 2^4 times its exponent's power. So
 * all sums are exact, and so is the last one times its unit, until it is rounded as the member
 * says.
 *
 * A member that adds exactly (align 0) needs no units: products are added in f64, and each addition
 * is checked to be exact. C is added last, to odd: the last of 53 bits is set if it is not exact,
 * so that the member's rounding, to at most 24 bits, is that of the exact sum.
 *
 * What this does not decide is in doubt: specials, products near the limit, sums of zeros with a C
 * of -0, products whose sum is not exact, and a late C whose addition is not. The caller computes
 * it again. */
#include "inside.h"

#include "../../ref/num/cpu.h"

#include <math.h>
#include <string.h>

static unsigned group_of(const struct exact_member *p, unsigned K) {
	return p->group && p->group < K ? p->group : K;
}

/* Exact sums have no parts. */
static unsigned parts_of_step(const struct exact_member *p) {
	return p->align ? p->parts : 1;
}

bool fast_member_applies(const struct exact_member *p, unsigned K) {
	unsigned group = group_of(p, K), parts = parts_of_step(p);
	bool known = p->align || (!p->inner && !p->limit);
	return known && K % group == 0 && group % parts == 0 && (parts == 1 || group == p->group) &&
	       mx_cpu_has(MX_CPU_V4);
}

/* Item i of a step is of a part, number n in it: i of the parts in turn, or one part after the
 * other. Places have the items of a part together. */
static unsigned item_at(const struct exact_member *p, unsigned group, unsigned place) {
	unsigned parts = parts_of_step(p), each = group / parts, part = place / each;
	return p->split ? place : place % each * parts + part;
}

void fast_member_load(const struct exact_member *p, unsigned K, const struct exact_item *row,
                      size_t width, size_t stride, double *value, double *top) {
	unsigned group = group_of(p, K);
	for (size_t at = 0; at < width; at++) {
		unsigned place = at % K, i = item_at(p, group, place % group);
		unsigned k = exact_member_place(p, K, group, place / group, i);
		struct exact_item x = exact_member_element(p, row[at - place + k]);
		double magnitude = x.flags & (EXACT_INF | EXACT_NAN) || x.sig >> 26
		                           ? NAN
		                           : ldexp((double)x.sig, x.exp);
		value[at * stride] = x.flags & EXACT_NEGATIVE ? -magnitude : magnitude;
		top[at * stride] = x.sig ? x.top : -INFINITY;
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { TO_ZERO, TO_FLOOR, TO_EVEN, TO_ODD };
enum { FLUSH_C = 2, FLUSH_RESULTS = 4, MAN = 23, EXP_MIN = -126, EXP_MAX = 127 };
enum { LEAST = -700 }; /* below all exponents but that of 0 */
enum { MAX_PARTS = 4 };

INLINE __m512d all(double x) {
	return _mm512_set1_pd(x);
}

INLINE __m512d floor_of(__m512d x) {
	return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

INLINE __m512d trunc_of(__m512d x) {
	return _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

INLINE __m512d even_of(__m512d x) {
	return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* The integer toward zero, or its neighbour beyond x if it is even and not x. */
INLINE __m512d odd_of(__m512d x) {
	__m512d t = trunc_of(x), half = _mm512_mul_pd(t, all(0.5));
	__mmask8 even = _mm512_cmp_pd_mask(trunc_of(half), half, _CMP_EQ_OQ);
	__mmask8 inexact = _mm512_cmp_pd_mask(t, x, _CMP_NEQ_OQ);
	__m512d one = _mm512_or_pd(all(1), _mm512_and_pd(x, all(-0.0)));
	return _mm512_mask_add_pd(t, even & inexact, t, one);
}

INLINE __m512d cut_of(__m512d x, unsigned cut) {
	switch (cut) {
	case TO_ZERO: return trunc_of(x);
	case TO_FLOOR: return floor_of(x);
	case TO_EVEN: return even_of(x);
	default: return odd_of(x);
	}
}

/* x 2^exp */
INLINE __m512d scaled(__m512d x, __m512d exp) {
	return _mm512_scalef_pd(x, exp);
}

/* ---- a step ---- */

/* Eight columns. */
struct columns {
	const struct exact_member *p;
	const double *a, *a_top; /* of the step, by place */
	const double (*b)[FAST_COLUMNS], (*b_top)[FAST_COLUMNS];
	unsigned group;
	__mmask8 doubt;
};

INLINE __m512d top_of(const struct columns *s, unsigned first, unsigned n) {
	__m512d top = all(s->p->low ? -(double)s->p->low : -INFINITY);
	for (unsigned i = first; i < first + n; i++)
		top = _mm512_max_pd(top,
		                    _mm512_add_pd(all(s->a_top[i]), _mm512_loadu_pd(s->b_top[i])));
	return top;
}

/* Terms from `first` in units of 2^unit, cut and added. */
INLINE __m512d terms_of(const struct columns *s, unsigned first, unsigned n, __m512d unit,
                        unsigned cut) {
	__m512d sum = _mm512_setzero_pd(), up = _mm512_sub_pd(_mm512_setzero_pd(), unit);
	for (unsigned i = first; i < first + n; i++) {
		__m512d x = _mm512_mul_pd(all(s->a[i]), _mm512_loadu_pd(s->b[i]));
		sum = _mm512_add_pd(sum, cut_of(scaled(x, up), cut));
	}
	return sum;
}

INLINE __m512d terms_by(const struct columns *s, unsigned first, unsigned n, __m512d unit) {
	switch (s->p->cut) {
	case TO_ZERO: return terms_of(s, first, n, unit, TO_ZERO);
	case TO_FLOOR: return terms_of(s, first, n, unit, TO_FLOOR);
	case TO_EVEN: return terms_of(s, first, n, unit, TO_EVEN);
	default: return terms_of(s, first, n, unit, TO_ODD);
	}
}

/* Two elements and two scales are below 2^4 times the power of their exponents. */
INLINE void doubt_limit(struct columns *s, __m512d most) {
	if (s->p->limit)
		s->doubt |= _mm512_cmp_pd_mask(most, all((double)s->p->limit - 4), _CMP_GE_OQ);
}

struct accumulators {
	__m512d value, top; /* top: -infinity for zeros */
};

INLINE struct accumulators accumulators_of(const struct exact_member *p, __m512d c) {
	__m512d exp = _mm512_max_pd(_mm512_getexp_pd(c), all(EXP_MIN));
	__mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(c), all(0x1p-126), _CMP_LT_OQ);
	if (p->flush & FLUSH_C)
		c = _mm512_mask_and_pd(c, small, c, all(-0.0));
	__mmask8 zero = _mm512_cmp_pd_mask(c, _mm512_setzero_pd(), _CMP_EQ_OQ);
	return (struct accumulators){ c, _mm512_mask_mov_pd(exp, zero, all(-INFINITY)) };
}

/* The sum of a step's products in units of 2^*unit; the largest exponent is at least LEAST. */
INLINE __m512d parts_of(struct columns *s, __m512d *most, __m512d *unit) {
	const struct exact_member *p = s->p;
	unsigned n = s->group / p->parts;
	__m512d sum = _mm512_setzero_pd(), top[MAX_PARTS];
	*most = all(LEAST);
	for (unsigned i = 0; i < p->parts; i++) {
		top[i] = _mm512_max_pd(top_of(s, i * n, n), all(LEAST));
		*most = _mm512_max_pd(*most, top[i]);
	}
	doubt_limit(s, *most);
	*unit = _mm512_sub_pd(*most, all(p->parts > 1 ? p->join : p->align));
	for (unsigned i = 0; i < p->parts; i++) {
		__m512d own = _mm512_sub_pd(top[i], all(p->align));
		__m512d part = terms_by(s, i * n, n, own);
		sum = _mm512_add_pd(sum, floor_of(scaled(part, _mm512_sub_pd(own, *unit))));
	}
	return sum;
}

INLINE __m512d sum_apart(struct columns *s, struct accumulators c) {
	const struct exact_member *p = s->p;
	__m512d most, unit, sum = parts_of(s, &most, &unit), top = _mm512_max_pd(most, c.top);
	__m512d of_dot = _mm512_sub_pd(top, all(p->dot)), of_acc = _mm512_sub_pd(top, all(p->acc));
	sum = floor_of(scaled(sum, _mm512_sub_pd(unit, of_dot)));
	__mmask8 keep = 0xFF;
	if (p->drop)
		keep = _mm512_cmp_pd_mask(c.top, _mm512_sub_pd(top, all(p->drop)), _CMP_GE_OQ);
	__m512d acc = scaled(c.value, _mm512_sub_pd(_mm512_setzero_pd(), of_acc));
	acc = _mm512_maskz_mov_pd(keep, floor_of(acc));
	sum = _mm512_add_pd(scaled(sum, of_dot), scaled(acc, of_acc));
	if (!p->norm)
		return sum;
	__m512d last = _mm512_sub_pd(_mm512_getexp_pd(sum), all(p->norm));
	last = _mm512_max_pd(last, all(LEAST - 100));
	return scaled(floor_of(scaled(sum, _mm512_sub_pd(_mm512_setzero_pd(), last))), last);
}

INLINE __m512d sum_together(struct columns *s, struct accumulators c) {
	const struct exact_member *p = s->p;
	__m512d most = top_of(s, 0, s->group);
	__m512d top = _mm512_max_pd(_mm512_max_pd(most, c.top), all(LEAST));
	doubt_limit(s, most);
	__m512d unit = _mm512_sub_pd(top, all(p->align));
	__m512d sum = terms_by(s, 0, s->group, unit);
	__m512d acc = scaled(c.value, _mm512_sub_pd(_mm512_setzero_pd(), unit));
	return scaled(_mm512_add_pd(sum, cut_of(acc, p->cut)), unit);
}

/* x - (a + b), where x is a + b rounded. */
INLINE __m512d error_of(__m512d x, __m512d a, __m512d b) {
	__m512d part = _mm512_sub_pd(x, a);
	return _mm512_add_pd(_mm512_sub_pd(a, _mm512_sub_pd(x, part)), _mm512_sub_pd(b, part));
}

/* Where x + error is not x, its neighbour on that side if x is even. */
INLINE __m512d to_odd(__m512d x, __m512d error) {
	__m512i bits = _mm512_castpd_si512(x), one = _mm512_set1_epi64(1);
	__mmask8 even = _mm512_testn_epi64_mask(bits, one);
	__mmask8 inexact = _mm512_cmp_pd_mask(error, _mm512_setzero_pd(), _CMP_NEQ_OQ);
	__mmask8 down = _mm512_movepi64_mask(_mm512_xor_si512(bits, _mm512_castpd_si512(error)));
	bits = _mm512_mask_add_epi64(bits, even & inexact & (__mmask8)~down, bits, one);
	bits = _mm512_mask_sub_epi64(bits, even & inexact & down, bits, one);
	return _mm512_castsi512_pd(bits);
}

/* The exact sum, to odd. */
INLINE __m512d sum_exact(struct columns *s, struct accumulators c) {
	__m512d sum = _mm512_setzero_pd();
	for (unsigned i = 0; i < s->group; i++) {
		__m512d x = _mm512_mul_pd(all(s->a[i]), _mm512_loadu_pd(s->b[i]));
		__m512d next = _mm512_add_pd(sum, x);
		s->doubt |= _mm512_cmp_pd_mask(error_of(next, sum, x), _mm512_setzero_pd(),
		                               _CMP_NEQ_UQ);
		sum = next;
	}
	__m512d last = _mm512_add_pd(sum, c.value);
	return to_odd(last, error_of(last, sum, c.value));
}

/* x as the member rounds results. */
INLINE __m512d rounded(const struct exact_member *p, __m512d x) {
	int man = p->bits ? (int)p->bits : MAN;
	__m512d last = _mm512_sub_pd(_mm512_max_pd(_mm512_getexp_pd(x), all(EXP_MIN)), all(man));
	__m512d y = scaled(x, _mm512_sub_pd(_mm512_setzero_pd(), last));
	y = scaled(p->round ? trunc_of(y) : even_of(y), last);
	__m512d size = _mm512_abs_pd(y), sign = _mm512_and_pd(x, all(-0.0));
	double infinite = p->over ? ldexp(2 - ldexp(1, -man), EXP_MAX) : INFINITY;
	__mmask8 over = _mm512_cmp_pd_mask(size, all(0x1p128), _CMP_GE_OQ);
	size = _mm512_mask_mov_pd(size, over, all(infinite));
	__mmask8 small = _mm512_cmp_pd_mask(size, all(0x1p-126), _CMP_LT_OQ);
	if (p->flush & FLUSH_RESULTS)
		size = _mm512_mask_mov_pd(size, small, _mm512_setzero_pd());
	/* A sum of zero is +0; what underflows may keep its sign. */
	__mmask8 zero =
		_mm512_cmp_pd_mask(p->zero == 2 ? size : x, _mm512_setzero_pd(), _CMP_EQ_OQ);
	return _mm512_or_pd(size, _mm512_mask_mov_pd(sign, zero, _mm512_setzero_pd()));
}

INLINE __mmask8 minus_zero(__m512d x) {
	return _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(x), _mm512_castpd_si512(all(-0.0)));
}

INLINE __m512d step_of(struct columns *s, __m512d acc) {
	struct accumulators c = accumulators_of(s->p, acc);
	__m512d sum = !s->p->align  ? sum_exact(s, c)
	              : s->p->fused ? sum_together(s, c)
	                            : sum_apart(s, c);
	__mmask8 zero = _mm512_cmp_pd_mask(sum, _mm512_setzero_pd(), _CMP_EQ_OQ);
	s->doubt |= (zero & minus_zero(c.value)) |
	            _mm512_fpclass_pd_mask(sum, 0x99) | /* NaN and infinities */
	            _mm512_fpclass_pd_mask(c.value, 0x99);
	return rounded(s->p, sum);
}

/* C after the last step. */
INLINE __m512d add_last(struct columns *s, __m512d sum, __m512d acc) {
	const struct exact_member *p = s->p;
	struct exact_member last = *p;
	last.round = p->late == 1 && p->round;
	__m512d c = accumulators_of(p, acc).value, x = _mm512_add_pd(c, sum);
	__mmask8 exact = _mm512_cmp_pd_mask(error_of(x, c, sum), _mm512_setzero_pd(), _CMP_EQ_OQ);
	__mmask8 zero = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_EQ_OQ);
	s->doubt |= (__mmask8)~exact | (zero & (minus_zero(c) | minus_zero(sum)));
	return rounded(&last, x);
}

/* ---- a row ---- */

AVX512 unsigned fast_member_row(const struct exact_member *p, unsigned K, size_t width,
                                const double *a, const double *a_top,
                                const double (*b)[FAST_COLUMNS],
                                const double (*b_top)[FAST_COLUMNS], uint32_t out[FAST_COLUMNS]) {
	struct columns s = { .p = p, .group = group_of(p, K) };
	__m512d acc = _mm512_setzero_pd(), c = acc;
	for (size_t k = 0; k < width; k += s.group) {
		if (k % K == 0 && p->late) {
			c = acc;
			acc = all(-0.0);
		}
		s.a = a + k, s.a_top = a_top + k;
		s.b = b + k, s.b_top = b_top + k;
		acc = step_of(&s, acc);
		if ((k + s.group) % K == 0 && p->late)
			acc = add_last(&s, acc, c);
	}
	_mm256_storeu_ps((float *)out, _mm512_cvtpd_ps(acc));
	return s.doubt;
}

#else

unsigned fast_member_row(const struct exact_member *p, unsigned K, size_t width, const double *a,
                         const double *a_top, const double (*b)[FAST_COLUMNS],
                         const double (*b_top)[FAST_COLUMNS], uint32_t out[FAST_COLUMNS]) {
	(void)p, (void)K, (void)width, (void)a, (void)a_top, (void)b, (void)b_top, (void)out;
	return 0xFF;
}

#endif
