/* The scaled MFMA for block32 in words: dots of 16-bit integers by VPDPWSSD of AVX-512.
 *
 * An element is m * 2^(field - bias - man), m below 2^(man + 1). In a row of a block the element
 * with the largest field is a word of BITS bits, and another is m shifted by as much less as its
 * field is smaller. If bits would be lost, because the row's range is too wide, the other methods
 * take over. A dot is below 32 * 2^(2 * BITS) = 2^31.
 *
 * A dot is exact in f64, and so is its product with the scales. The FMA that adds the accumulator
 * rounds to odd, as in by_avx512.c. A zero dot has lost its sign: where it is added to -0, integers
 * compute the result. No sum is -0 if no accumulator is and all dots are multiples of 2^-149, the
 * smallest f32: they do not round to 0. */
#include "tile.h"
#include "../num/number.h"

#include <limits.h>

#if defined(__x86_64__)
#include "avx512.h"
#include "kept.h"

enum { BITS = 13 }; /* of a word, without its sign */
enum { QUAD = 4, QUADS = MX_BLOCK / QUAD, PAIRS = MX_BLOCK / 2, BLOCKS = 4 };
enum { ROWS = 8 }; /* computed together */

/* An operand. A dword has two elements of a row or column: of each quad 0 and 2, then 1 and 3. */
struct words {
	_Alignas(LINE) uint32_t pair[PAIRS * MX_LANES]; /* [block][pair][row or column] */
	double scale[BLOCKS][MX_TILE_MN];               /* of a unit of the words */
	int least;                                      /* scales are at least 2^least */
};

_Static_assert(sizeof(struct words) <= MX_KEPT_BYTES, "room for words");

/* ---- loading ---- */

/* What is known when the loops are compiled. */
struct form {
	unsigned bits, MN;
};

/* The codes of elements k to k + 3 of WIDE rows, a byte each. */
AVX512 INLINE __m512i quad_of(struct form f, const struct side *o, unsigned mn, unsigned k) {
	unsigned half = MX_TILE_ELEMS / f.MN / 2;
	if (f.bits == 8)
		return _mm512_loadu_si512(&o->regs[k / half * RUN / QUAD + k % RUN / QUAD]
		                                  [k % half / RUN * f.MN + mn]);
	__m512i x = _mm512_setzero_si512();
#pragma GCC unroll 4
	for (unsigned i = 0; i < QUAD; i++) {
		unsigned lane = k / MX_BLOCK * f.MN + mn;
		__m512i code = codes(f.bits, o->regs, lane, k % MX_BLOCK + i);
		x = _mm512_or_si512(x, _mm512_slli_epi32(code, 8 * i));
	}
	return x;
}

/* In all bytes of a dword, the largest of its bytes. */
AVX512 INLINE __m512i largest_byte(__m512i x) {
	x = _mm512_max_epu8(x, _mm512_rol_epi32(x, 16));
	return _mm512_max_epu8(x, _mm512_rol_epi32(x, 8));
}

/* Exponent fields; a subnormal has that of the smallest normal. */
AVX512 INLINE __m512i fields_of(__m512i magnitude, unsigned man_bits) {
	__m512i field = _mm512_and_si512(_mm512_srli_epi16(magnitude, man_bits),
	                                 _mm512_set1_epi8(0x7F >> man_bits));
	return _mm512_max_epu8(field, _mm512_set1_epi8(1));
}

/* Returns the words that lose bits. */
AVX512 INLINE __mmask32 store_words(uint32_t *to, __m512i significand, __m512i right) {
	__m512i word = _mm512_srav_epi16(significand, right);
	_mm512_storeu_si512(to, word);
	return _mm512_cmpneq_epi16_mask(_mm512_sllv_epi16(word, right), significand);
}

AVX512 INLINE void store_scales(double *to, const uint8_t *codes, __m512i exponents) {
	__m512 scale = e8m0_scales_of(codes), power = _mm512_cvtepi32_ps(exponents);
	for (unsigned i = 0; i < 2; i++) {
		__m512d x = _mm512_cvtps_pd(i ? _mm512_extractf32x8_ps(scale, 1)
		                              : _mm512_castps512_ps256(scale));
		__m512d y = _mm512_cvtps_pd(i ? _mm512_extractf32x8_ps(power, 1)
		                              : _mm512_castps512_ps256(power));
		_mm512_storeu_pd(to + 8 * i, _mm512_scalef_round_pd(x, y, NEAREST));
	}
}

/* The words of a quad; end - field: by how much an element is less than the top of a word. */
AVX512 INLINE __mmask32 store_quad(struct form f, const struct mx_format_info *t, __m512i quad,
                                   __m512i end, uint32_t *to) {
	const __m512i sign = _mm512_set1_epi8((char)(1 << (f.bits - 1)));
	const __m512i even = _mm512_set1_epi16(0xFF), odd = _mm512_set1_epi16((short)0xFF00);
	__m512i m = _mm512_andnot_si512(sign, quad), field = fields_of(m, t->man_bits);
	__m512i above = _mm512_sub_epi8(field, _mm512_set1_epi8(1));
	__m512i right = _mm512_sub_epi8(end, field);
	m = _mm512_sub_epi8(m, _mm512_slli_epi16(above, t->man_bits));
	m = _mm512_slli_epi16(m, 6 - t->man_bits); /* the top of a byte, but for the sign */
	m = _mm512_mask_sub_epi8(m, _mm512_test_epi8_mask(quad, sign), _mm512_setzero_si512(), m);
	__mmask32 lost = store_words(to, _mm512_slli_epi16(m, 8), _mm512_and_si512(right, even));
	return lost | store_words(to + f.MN, _mm512_and_si512(m, odd), _mm512_srli_epi16(right, 8));
}

/* A block of WIDE rows; false if bits would be lost, or if there is a NaN or an infinity. */
AVX512 INLINE bool load_block(struct form f, struct words *x, const struct side *o, unsigned block,
                              unsigned mn) {
	const struct mx_format_info *t = mx_format_info(o->format);
	const __m512i magnitudes = _mm512_set1_epi8(mx_ones(f.bits - 1));
	__m512i quad[QUADS], most = _mm512_setzero_si512();
	__mmask32 lost = 0;
#pragma GCC unroll 8
	for (unsigned q = 0; q < QUADS; q++) {
		quad[q] = quad_of(f, o, mn, block * MX_BLOCK + q * QUAD);
		most = _mm512_max_epu8(most, _mm512_and_si512(quad[q], magnitudes));
	}
	most = largest_byte(most);
	__m512i top = fields_of(most, t->man_bits);
	__m512i end = _mm512_add_epi8(top, _mm512_set1_epi8(15 - BITS));
#pragma GCC unroll 8
	for (unsigned q = 0; q < QUADS; q++)
		lost |= store_quad(f, t, quad[q], end,
		                   &x->pair[(block * PAIRS + 2 * q) * f.MN + mn]);
	__m512i exponents = _mm512_sub_epi32(_mm512_and_si512(top, _mm512_set1_epi32(0xFF)),
	                                     _mm512_set1_epi32(t->bias + BITS - 1));
	const uint8_t *scales = o->scale + block * f.MN + mn;
	store_scales(&x->scale[block][mn], scales, exponents);
	__m512i of_scales =
		_mm512_sub_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)scales)),
	                         _mm512_set1_epi32(127));
	int least = _mm512_reduce_min_epi32(_mm512_add_epi32(exponents, of_scales));
	x->least = least < x->least ? least : x->least;
	return !lost && !_mm512_cmpgt_epu8_mask(most, _mm512_set1_epi8(mx_max_finite(t)));
}

AVX512 INLINE bool load_blocks(struct form f, struct words *x, const struct side *o) {
	bool good = true;
	x->least = INT_MAX;
	for (unsigned block = 0; good && block < MX_LANES / f.MN; block++)
		for (unsigned mn = 0; good && mn < f.MN; mn += WIDE)
			good = load_block(f, x, o, block, mn);
	return good;
}

AVX512 static bool load_words(struct words *x, const struct side *o) {
	unsigned bits = mx_format_info(o->format)->bits, MN = mx_mn(o->shape);
	return bits == 8 && MN == 16 ? load_blocks((struct form){ 8, 16 }, x, o)
	       : bits == 8           ? load_blocks((struct form){ 8, 32 }, x, o)
	       : bits == 6           ? load_blocks((struct form){ 6, MN }, x, o)
	                             : load_blocks((struct form){ 4, MN }, x, o);
}

/* NULL if the operand is not in words. */
AVX512 static const struct words *words_of(const struct mx_mma_args *g, mx_side s) {
	struct side o = mx_side_of(g, s);
	struct mx_kept *k = mx_kept_operand(MX_KEPT_WORDS, s, &o);
	if (k && !k->loaded)
		k->loaded = load_words((struct words *)k->operand, &o);
	return k && k->loaded ? (const struct words *)k->operand : NULL;
}

/* ---- dots ---- */

/* sum += products of the words of a pair, of ROWS rows from a and WIDE columns from b. */
AVX512 INLINE void add_pair(const uint32_t *a, const uint32_t *b, __m512i sum[ROWS]) {
	__m512i y = _mm512_loadu_si512(b);
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++)
		sum[i] = _mm512_dpwssd_epi32(sum[i], y, _mm512_set1_epi32((int)a[i]));
}

AVX512 INLINE __m512d half_of(__m512i x, unsigned half) {
	return _mm512_cvtepi32_pd(half ? _mm512_extracti32x8_epi32(x, 1)
	                               : _mm512_castsi512_si256(x));
}

/* acc += dot * scales. */
AVX512 INLINE void add_scaled(__m512d dot, __m512d scale, float *acc) {
	__m512d c = _mm512_cvtps_pd(_mm256_loadu_ps(acc));
	__m512d down = _mm512_fmadd_round_pd(dot, scale, c, DOWN);
	__m512d up = _mm512_fmadd_round_pd(dot, scale, c, UP);
	_mm256_storeu_ps(acc, _mm512_cvt_roundpd_ps(to_odd_of(down, up), NEAREST));
}

/* acc += a block's dots of ROWS rows and WIDE columns. With `signs` bad[row] gets the columns in
 * which a dot without its sign is added to -0. */
AVX512 INLINE void add_block(const struct words *a, const struct words *b, unsigned MN,
                             unsigned block, unsigned row, unsigned col, float (*acc)[WIDE],
                             bool signs, __mmask16 *bad) {
	const uint32_t *x = &a->pair[block * PAIRS * MN + row];
	const uint32_t *y = &b->pair[block * PAIRS * MN + col];
	const double *scale = &b->scale[block][col];
	__m512d of_columns[] = { _mm512_loadu_pd(scale), _mm512_loadu_pd(scale + 8) };
	__m512i dot[ROWS];
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++)
		dot[i] = _mm512_setzero_si512();
#pragma GCC unroll 16
	for (unsigned p = 0; p < PAIRS; p++)
		add_pair(x + p * MN, y + p * MN, dot);
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++) {
		__m512d of_row = _mm512_set1_pd(a->scale[block][row + i]);
		if (signs)
			bad[i] |= negative_zeros(_mm512_testn_epi32_mask(dot[i], dot[i]),
			                         _mm512_loadu_ps(acc[i]));
#pragma GCC unroll 2
		for (unsigned j = 0; j < 2; j++)
			add_scaled(half_of(dot[i], j), _mm512_mul_pd(of_row, of_columns[j]),
			           acc[i] + 8 * j);
	}
}

AVX512 INLINE void add_blocks(const struct words *a, const struct words *b, unsigned MN,
                              struct results *r, bool signs, columns bad) {
	for (unsigned col = 0; col < MN; col += WIDE)
		for (unsigned row = 0; row < MN; row += ROWS)
			for (unsigned block = 0; block < MX_LANES / MN; block++)
				add_block(a, b, MN, block, row, col, &r->acc[col / WIDE][row],
				          signs, &bad[col / WIDE][row]);
}

/* Whether an accumulator is -0 before any of the blocks. */
AVX512 INLINE bool may_be_negative_zero(const struct words *a, const struct words *b, unsigned MN,
                                        const struct results *r) {
	enum { LEAST = -149 };
	return any_negative_zero(r, MN) || a->least + b->least < LEAST;
}

/* Returns whether bad may have any. */
AVX512 INLINE bool add_all(const struct words *a, const struct words *b, unsigned MN,
                           struct results *r, columns bad) {
	bool signs = may_be_negative_zero(a, b, MN, r);
	if (signs)
		add_blocks(a, b, MN, r, true, bad);
	else
		add_blocks(a, b, MN, r, false, bad);
	return signs;
}

AVX512 bool mx_mma_by_words(const struct mx_mma_args *g) {
	bool applies = g->profile->group == MX_BLOCK && mx_scales_are_e8m0(g);
	const struct words *a = applies ? words_of(g, MX_SIDE_A) : NULL;
	const struct words *b = a ? words_of(g, MX_SIDE_B) : NULL;
	uint64_t again[MX_TILE_RESULTS];
	columns bad = { { 0 } };
	struct results r;
	if (!b)
		return false;
	load_results(&r, g);
	bool uncertain =
		mx_mn(g->shape) == 16 ? add_all(a, b, 16, &r, bad) : add_all(a, b, 32, &r, bad);
	uncertain = uncertain && find_uncertain(g, bad, &r, again);
	store_results(&r, g);
	if (uncertain)
		mx_mma_some_by_integers(g, again);
	return true;
}

#else

bool mx_mma_by_words(const struct mx_mma_args *g) {
	(void)g;
	return false;
}

#endif
