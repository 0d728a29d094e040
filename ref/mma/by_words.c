/* The scaled MFMA for block32 in words: dots of 16-bit integers by VPDPWSSD of AVX-512.
 *
 * An element is m * 2^(field - bias - man), m below 2^(man + 1). In a row of a block the element
 * with the largest field is a word of BITS bits, and another is m shifted by as much less as its
 * field is smaller, rounded down. Of quantised deviates one in a few hundred is so small that it
 * loses bits; it has a remainder, below 1. The products of remainders are added in f64, which is
 * exact, because sums have few enough bits. If there are more remainders than MOST, the other
 * methods take over. A dot is below 32 * 2^(2 * BITS) = 2^31.
 *
 * A dot is exact in f64, and so is its product with the scales. The FMA that adds the accumulator
 * is exact, or rounds to odd, as in by_avx512.c. A zero dot has lost its sign: where it is added to
 * -0, integers compute the result. No sum is -0 if no accumulator is and all dots are multiples of
 * 2^-149, the smallest f32: they do not round to 0. */
#include "tile.h"
#include "../num/number.h"

#include <limits.h>

#if defined(__x86_64__)
#include "avx512.h"
#include "kept.h"

enum { BITS = 13 }; /* of a word, without its sign */
enum { QUAD = 4, QUADS = MX_BLOCK / QUAD, PAIRS = MX_BLOCK / 2, BLOCKS = 4 };
enum { ROWS = 8 };  /* computed together */
enum { MOST = 32 }; /* remainders of an operand */

/* What an element has in addition to its word. */
struct remainder {
	double value; /* in units of the words */
	uint16_t at;  /* the word, in `pair` */
	uint16_t mn;
};

/* An operand. A dword has two elements of a row or column: of each quad 0 and 2, then 1 and 3. */
struct words {
	_Alignas(LINE) uint32_t pair[PAIRS * MX_LANES]; /* [block][pair][row or column] */
	double scale[BLOCKS][MX_TILE_MN];               /* of a unit of the words */
	int64_t power[BLOCKS][MX_TILE_MN]; /* what multiplies another power of two by it */
	bool nan;                          /* a scale is one, and its power is not valid */
	bool fits;                         /* else nothing of it is valid */
	int least;                         /* numbers are multiples of 2^least, with their scales */
	unsigned below;                    /* bits that remainders have below the unit */
	unsigned n, first[BLOCKS + 1];     /* of a block; those of the next one follow */
	struct remainder remainder[MOST];
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

/* A power of two times another is the sum of their bits without the bias of one: all are normal. */
AVX512 INLINE void store_scales(double *to, int64_t *powers, const uint8_t *codes,
                                __m512i exponents) {
	__m512 scale = e8m0_scales_of(codes), power = _mm512_cvtepi32_ps(exponents);
	for (unsigned i = 0; i < 2; i++) {
		__m512d x = _mm512_cvtps_pd(i ? _mm512_extractf32x8_ps(scale, 1)
		                              : _mm512_castps512_ps256(scale));
		__m512d y = _mm512_cvtps_pd(i ? _mm512_extractf32x8_ps(power, 1)
		                              : _mm512_castps512_ps256(power));
		x = _mm512_scalef_round_pd(x, y, NEAREST);
		_mm512_storeu_pd(to + 8 * i, x);
		_mm512_storeu_si512(powers + 8 * i,
		                    _mm512_sub_epi64(_mm512_castpd_si512(x),
		                                     _mm512_castpd_si512(_mm512_set1_pd(1))));
	}
}

/* Elements of a quad in words of 16 bits, 0 and 2, then 1 and 3: their significands at the top, and
 * what shifts them to a word. */
struct halves {
	__m512i significand[2], right[2];
};

/* end - field: by how much an element is less than the top of a word. */
AVX512 INLINE struct halves halves_of(struct form f, const struct mx_format_info *t, __m512i quad,
                                      __m512i end) {
	const __m512i sign = _mm512_set1_epi8((char)(1 << (f.bits - 1)));
	const __m512i even = _mm512_set1_epi16(0xFF), odd = _mm512_set1_epi16((short)0xFF00);
	__m512i m = _mm512_andnot_si512(sign, quad), field = fields_of(m, t->man_bits);
	__m512i above = _mm512_sub_epi8(field, _mm512_set1_epi8(1));
	__m512i right = _mm512_sub_epi8(end, field);
	m = _mm512_sub_epi8(m, _mm512_slli_epi16(above, t->man_bits));
	m = _mm512_slli_epi16(m, 6 - t->man_bits); /* the top of a byte, but for the sign */
	m = _mm512_mask_sub_epi8(m, _mm512_test_epi8_mask(quad, sign), _mm512_setzero_si512(), m);
	return (struct halves){ { _mm512_slli_epi16(m, 8), _mm512_and_si512(m, odd) },
		                { _mm512_and_si512(right, even), _mm512_srli_epi16(right, 8) } };
}

/* Where words lose bits. */
AVX512 INLINE bool add_remainders(struct words *x, unsigned MN, const uint32_t *to, __mmask32 lost,
                                  __m512i significand, __m512i right) {
	int16_t whole[2 * WIDE], shift[2 * WIDE];
	_mm512_storeu_si512(whole, significand);
	_mm512_storeu_si512(shift, right);
	for (; lost; lost &= lost - 1) {
		unsigned i = (unsigned)__builtin_ctz(lost), at = (unsigned)(to - x->pair) + i / 2;
		unsigned below = (unsigned)(shift[i] - __builtin_ctz((unsigned)whole[i]));
		if (x->n == MOST)
			return false;
		x->remainder[x->n++] = (struct remainder){
			.value = (double)whole[i] / (double)(UINT64_C(1) << shift[i]) -
			         ((const int16_t *)to)[i],
			.at = (uint16_t)(2 * at + i % 2),
			.mn = (uint16_t)(at % MN),
		};
		x->below = below > x->below ? below : x->below;
	}
	return true;
}

/* The same for a block of WIDE rows; false if there are too many. */
AVX512 __attribute__((noinline)) static bool
add_remainders_of_block(struct form f, struct words *x, const struct side *o, unsigned block,
                        unsigned mn, __m512i end, const __mmask32 lost[PAIRS]) {
	const struct mx_format_info *t = mx_format_info(o->format);
	bool fits = true;
	for (unsigned p = 0; fits && p < PAIRS; p++) {
		if (!lost[p])
			continue;
		__m512i quad = quad_of(f, o, mn, block * MX_BLOCK + p / 2 * QUAD);
		struct halves h = halves_of(f, t, quad, end);
		fits = add_remainders(x, f.MN, &x->pair[(block * PAIRS + p) * f.MN + mn], lost[p],
		                      h.significand[p % 2], h.right[p % 2]);
	}
	return fits;
}

/* A block of WIDE rows; false if there are too many remainders, a NaN or an infinity. */
AVX512 INLINE bool load_block(struct form f, struct words *x, const struct side *o, unsigned block,
                              unsigned mn) {
	const struct mx_format_info *t = mx_format_info(o->format);
	const __m512i magnitudes = _mm512_set1_epi8(mx_ones(f.bits - 1));
	__m512i quad[QUADS], most = _mm512_setzero_si512();
	__mmask32 lost[PAIRS], any = 0;
#pragma GCC unroll 8
	for (unsigned q = 0; q < QUADS; q++) {
		quad[q] = quad_of(f, o, mn, block * MX_BLOCK + q * QUAD);
		most = _mm512_max_epu8(most, _mm512_and_si512(quad[q], magnitudes));
	}
	most = largest_byte(most);
	__m512i top = fields_of(most, t->man_bits);
	__m512i end = _mm512_add_epi8(top, _mm512_set1_epi8(15 - BITS));
#pragma GCC unroll 8
	for (unsigned q = 0; q < QUADS; q++) {
		struct halves h = halves_of(f, t, quad[q], end);
#pragma GCC unroll 2
		for (unsigned i = 0, p = 2 * q; i < 2; i++, p++) {
			lost[p] = store_words(&x->pair[(block * PAIRS + p) * f.MN + mn],
			                      h.significand[i], h.right[i]);
			any |= lost[p];
		}
	}
	__m512i exponents = _mm512_sub_epi32(_mm512_and_si512(top, _mm512_set1_epi32(0xFF)),
	                                     _mm512_set1_epi32(t->bias + BITS - 1));
	const uint8_t *scales = o->scale + block * f.MN + mn;
	store_scales(&x->scale[block][mn], &x->power[block][mn], scales, exponents);
	__m128i codes = _mm_loadu_si128((const void *)scales);
	__m512i of_scales = _mm512_sub_epi32(_mm512_cvtepu8_epi32(codes), _mm512_set1_epi32(127));
	x->nan |= _mm_cmpeq_epi8_mask(codes, _mm_set1_epi8(-1)) != 0;
	int least = _mm512_reduce_min_epi32(_mm512_add_epi32(exponents, of_scales));
	x->least = least < x->least ? least : x->least;
	return !_mm512_cmpgt_epu8_mask(most, _mm512_set1_epi8(mx_max_finite(t))) &&
	       (!any || add_remainders_of_block(f, x, o, block, mn, end, lost));
}

AVX512 INLINE void load_blocks(struct form f, struct words *x, const struct side *o) {
	x->fits = true;
	x->least = INT_MAX;
	x->n = x->below = 0;
	x->nan = false;
	for (unsigned block = 0; x->fits && block < MX_LANES / f.MN; block++) {
		x->first[block] = x->n;
		for (unsigned mn = 0; x->fits && mn < f.MN; mn += WIDE)
			x->fits = load_block(f, x, o, block, mn);
		x->first[block + 1] = x->n;
	}
	x->least -= (int)x->below;
}

AVX512 static void load_words(struct words *x, const struct side *o) {
	unsigned bits = mx_format_info(o->format)->bits, MN = mx_mn(o->shape);
	if (bits == 8 && MN == 16)
		load_blocks((struct form){ 8, 16 }, x, o);
	else if (bits == 8)
		load_blocks((struct form){ 8, 32 }, x, o);
	else if (bits == 6)
		load_blocks((struct form){ 6, MN }, x, o);
	else
		load_blocks((struct form){ 4, MN }, x, o);
}

/* NULL if the operand does not fit words, or there is no memory. */
AVX512 static const struct words *words_of(const struct mx_mma_args *g, mx_side s) {
	struct side o = mx_side_of(g, s);
	struct mx_kept *k = mx_kept_operand(MX_KEPT_WORDS, s, &o);
	struct words *x = k ? (struct words *)k->operand : NULL;
	if (k && !k->loaded)
		load_words(x, &o);
	if (k)
		k->loaded = true;
	return x && x->fits ? x : NULL;
}

/* ---- dots ---- */

/* sum += products of the words of a pair, of ROWS rows from a and WIDE columns from b. */
AVX512 INLINE void add_pair(const uint32_t *a, const uint32_t *b, __m512i sum[ROWS]) {
	__m512i y = _mm512_loadu_si512(b);
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++)
		sum[i] = add_products(sum[i], y, &a[i]);
}

AVX512 INLINE __m512d half_of(__m512i x, unsigned half) {
	return _mm512_cvtepi32_pd(half ? _mm512_extracti32x8_epi32(x, 1)
	                               : _mm512_castsi512_si256(x));
}

/* acc += dot * scales. If not `to_odd`, it is right if the flag of inexact results is not set. */
AVX512 INLINE void add_scaled(__m512d dot, __m512d scale, float *acc, bool to_odd) {
	__m512d sum, c = _mm512_cvtps_pd(_mm256_loadu_ps(acc));
	if (to_odd)
		sum = to_odd_of(_mm512_fmadd_round_pd(dot, scale, c, DOWN),
		                _mm512_fmadd_round_pd(dot, scale, c, UP));
	else
		sum = _mm512_fmadd_pd(dot, scale, c);
	_mm256_storeu_ps(acc, _mm512_cvt_roundpd_ps(sum, NEAREST));
}

/* ---- remainders ---- */

/* Executes a statement for each remainder of a block in n rows or columns. */
#define FOR_REMAINDERS(r, x, block, from, n)                                                       \
	for (const struct remainder *r = (x)->remainder + (x)->first[block],                       \
	                            *end_ = (x)->remainder + (x)->first[(block) + 1];              \
	     r < end_; r++)                                                                        \
		if ((unsigned)r->mn - (from) < (n))

_Static_assert(ROWS == 8, "the rows of a column are a vector");

/* Eight words of a pair, the first or the second of each dword. */
AVX512 INLINE __m512d words_at(const uint32_t *pair, unsigned second) {
	__m256i dword = _mm256_loadu_si256((const void *)pair);
	dword = second ? dword : _mm256_slli_epi32(dword, 16);
	return _mm512_cvtepi32_pd(_mm256_srai_epi32(dword, 16));
}

/* dots of a row += a remainder of A times words of WIDE columns. */
AVX512 INLINE void add_to_row(const struct remainder *r, const uint32_t *pair, double *dots) {
	for (unsigned j = 0; j < WIDE; j += 8) {
		__m512d product =
			_mm512_mul_pd(_mm512_set1_pd(r->value), words_at(pair + j, r->at % 2));
		_mm512_store_pd(dots + j, _mm512_add_pd(_mm512_load_pd(dots + j), product));
	}
}

/* dots of a column += words of ROWS rows times a remainder of B. Loads of whole vectors need not
 * wait for stores of whole vectors. */
AVX512 INLINE void add_to_column(const struct remainder *r, const uint32_t *pair, unsigned col,
                                 double (*dots)[WIDE]) {
	_Alignas(LINE) double product[ROWS];
	_mm512_store_pd(product,
	                _mm512_mul_pd(_mm512_set1_pd(r->value), words_at(pair, r->at % 2)));
	for (unsigned i = 0; i < ROWS; i++) {
		double *to = dots[i] + col / 8 * 8;
		__m512d dot = _mm512_load_pd(to);
		__m512d sum = _mm512_add_pd(dot, _mm512_set1_pd(product[i]));
		_mm512_store_pd(to, _mm512_mask_mov_pd(dot, (__mmask8)(1 << col % 8), sum));
	}
}

/* dots += products that have remainders, of ROWS rows and WIDE columns of a block. */
AVX512 __attribute__((noinline)) static void
add_remainder_products(const struct words *a, const struct words *b, unsigned block, unsigned row,
                       unsigned col, double (*dots)[WIDE]) {
	FOR_REMAINDERS(r, a, block, row, ROWS)
	add_to_row(r, &b->pair[r->at / 2 - r->mn + col], dots[r->mn - row]);
	FOR_REMAINDERS(r, b, block, col, WIDE) {
		add_to_column(r, &a->pair[r->at / 2 - r->mn + row], r->mn - col, dots);
		FOR_REMAINDERS(x, a, block, row, ROWS)
		if (x->at - 2 * x->mn == r->at - 2 * r->mn) /* the same k */
			dots[x->mn - row][r->mn - col] += x->value * r->value;
	}
}

/* ---- parts: the dots of a block, of ROWS rows and WIDE columns ---- */

/* What is known when most loops are compiled: whether there are remainders, whether dots without
 * their sign may be added to -0, and whether sums that are not exact in f64 are rounded to odd;
 * only then may scales be NaN. */
struct method {
	bool remainders, signs, to_odd;
	unsigned MN;
};

struct part {
	unsigned block, row, col;
};

/* Blocks in their order, then rows, then columns. */
INLINE struct part part_of(struct method m, unsigned n) {
	unsigned blocks = MX_LANES / m.MN, row = n / blocks * ROWS;
	return (struct part){ n % blocks, row % m.MN, row / m.MN * WIDE };
}

INLINE unsigned parts_of(struct method m) {
	return m.MN * m.MN / (ROWS * WIDE) * (MX_LANES / m.MN);
}

/* The dots of a part. */
struct dots {
	__m512i words[ROWS];
	double (*rest)[WIDE]; /* products that have remainders; NULL: none */
};

/* Row i of the accumulators += its dots. With `signs` bad[row] gets the columns in which a dot
 * without its sign is added to -0. */
AVX512 INLINE void add_row(struct method m, const struct words *a, const struct words *b,
                           struct part at, const struct dots *dots, unsigned i, struct results *r,
                           columns bad) {
	unsigned strip = at.col / WIDE, row = at.row + i;
	__m512d of_row = _mm512_set1_pd(a->scale[at.block][row]), scale;
	__m512i power = _mm512_set1_epi64(a->power[at.block][row]);
	float *acc = r->acc[strip][row];
	if (m.signs)
		bad[strip][row] |=
			negative_zeros(_mm512_testn_epi32_mask(dots->words[i], dots->words[i]),
		                       _mm512_loadu_ps(acc));
#pragma GCC unroll 2
	for (unsigned j = 0; j < 2; j++) {
		__m512d of_columns = _mm512_loadu_pd(&b->scale[at.block][at.col + 8 * j]);
		__m512d dot = half_of(dots->words[i], j);
		if (m.remainders && dots->rest)
			dot = _mm512_add_pd(dot, _mm512_load_pd(dots->rest[i] + 8 * j));
		if (m.to_odd)
			scale = _mm512_mul_pd(of_row, of_columns);
		else
			scale = _mm512_castsi512_pd(
				_mm512_add_epi64(power, _mm512_castpd_si512(of_columns)));
		add_scaled(dot, scale, acc + 8 * j, m.to_odd);
	}
}

/* The dots of a part; meanwhile those of the part before are added, because they use other units of
 * the processor. */
AVX512 INLINE void next_dots(struct method m, const struct words *a, const struct words *b,
                             unsigned n, struct dots *next, const struct dots *before,
                             struct results *r, columns bad) {
	enum { EACH = PAIRS / ROWS };
	struct part at = part_of(m, n);
	const uint32_t *x = &a->pair[at.block * PAIRS * m.MN + at.row];
	const uint32_t *y = &b->pair[at.block * PAIRS * m.MN + at.col];
	next->rest = NULL;
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++)
		next->words[i] = _mm512_setzero_si512();
#pragma GCC unroll 16
	for (unsigned p = 0; p < PAIRS; p++) {
		add_pair(x + p * m.MN, y + p * m.MN, next->words);
		if (before && p % EACH == EACH - 1)
			add_row(m, a, b, part_of(m, n - 1), before, p / EACH, r, bad);
	}
}

INLINE bool any_remainder(const struct words *x, unsigned block, unsigned from, unsigned n) {
	FOR_REMAINDERS(r, x, block, from, n)
	return true;
	return false;
}

/* The products of a part that have remainders. */
AVX512 INLINE void find_rest(const struct words *a, const struct words *b, struct part at,
                             double (*room)[WIDE], struct dots *to) {
	if (!any_remainder(a, at.block, at.row, ROWS) && !any_remainder(b, at.block, at.col, WIDE))
		return;
	to->rest = room;
	memset(room, 0, ROWS * sizeof *room);
	add_remainder_products(a, b, at.block, at.row, at.col, room);
}

AVX512 INLINE void add_parts(struct method m, const struct words *a, const struct words *b,
                             struct results *r, columns bad) {
	_Alignas(LINE) double room[2][ROWS][WIDE];
	struct dots before, next;
	unsigned n = parts_of(m);
	next_dots(m, a, b, 0, &before, NULL, r, bad);
	if (m.remainders)
		find_rest(a, b, part_of(m, 0), room[0], &before);
	for (unsigned i = 1; i < n; i++) {
		next_dots(m, a, b, i, &next, &before, r, bad);
		if (m.remainders)
			find_rest(a, b, part_of(m, i), room[i % 2], &next);
		before = next;
	}
#pragma GCC unroll 8
	for (unsigned i = 0; i < ROWS; i++)
		add_row(m, a, b, part_of(m, n - 1), &before, i, r, bad);
}

/* Whether an accumulator is -0 before any of the blocks. */
AVX512 INLINE bool may_be_negative_zero(const struct words *a, const struct words *b, unsigned MN,
                                        const struct results *r) {
	enum { LEAST = -149 };
	return any_negative_zero(r, MN) || a->least + b->least < LEAST;
}

AVX512 INLINE void add_exact(struct method m, const struct words *a, const struct words *b,
                             struct results *r, columns bad) {
	if (m.remainders)
		add_parts((struct method){ true, false, false, m.MN }, a, b, r, bad);
	else if (m.signs)
		add_parts((struct method){ false, true, false, m.MN }, a, b, r, bad);
	else
		add_parts((struct method){ false, false, false, m.MN }, a, b, r, bad);
}

/* Each combination that is frequent is compiled on its own. */
AVX512 __attribute__((noinline)) static void add_all(struct method m, const struct words *a,
                                                     const struct words *b, struct results *r,
                                                     columns bad) {
	if (m.to_odd && m.MN == 16)
		add_parts((struct method){ m.remainders, m.signs, true, 16 }, a, b, r, bad);
	else if (m.to_odd)
		add_parts((struct method){ m.remainders, m.signs, true, 32 }, a, b, r, bad);
	else if (m.MN == 16)
		add_exact((struct method){ m.remainders, m.signs, false, 16 }, a, b, r, bad);
	else
		add_exact((struct method){ m.remainders, m.signs, false, 32 }, a, b, r, bad);
}

/* Most sums are exact in f64: they have 31 bits of a dot and 24 of an accumulator that is about as
 * large. So those of an instruction are rounded to odd only after one of them was not exact. Where
 * this happens, it does again: the next ones are not tried. */
AVX512 static void multiply(const struct mx_mma_args *g, struct method m, const struct words *a,
                            const struct words *b, struct results *r, columns bad) {
	enum { UNTRIED = 15 };
	static _Thread_local unsigned untried;
	if (!m.to_odd && !untried) {
		clear_inexact();
		add_all(m, a, b, r, bad);
		if (!was_inexact())
			return;
		untried = UNTRIED;
		load_results(r, g);
	} else if (untried)
		untried--;
	m.to_odd = true;
	add_all(m, a, b, r, bad);
}

/* Whether dots with their remainders fit f64. */
static bool are_exact(const struct words *a, const struct words *b) {
	enum { BITS_OF_DOT = 2 * BITS + 5, BITS_OF_F64 = 53 };
	return BITS_OF_DOT + a->below + b->below <= BITS_OF_F64;
}

AVX512 bool mx_mma_by_words(const struct mx_mma_args *g) {
	bool applies = g->profile->group == MX_BLOCK && mx_scales_are_e8m0(g);
	const struct words *a = applies ? words_of(g, MX_SIDE_A) : NULL;
	const struct words *b = a ? words_of(g, MX_SIDE_B) : NULL;
	unsigned MN = mx_mn(g->shape);
	uint64_t again[MX_TILE_RESULTS];
	columns bad = { { 0 } };
	struct results r;
	if (!b || !are_exact(a, b))
		return false;
	load_results(&r, g);
	struct method m = { a->n || b->n, may_be_negative_zero(a, b, MN, &r), a->nan || b->nan,
		            MN };
	if (m.remainders && m.signs)
		return false;
	multiply(g, m, a, b, &r, bad);
	bool uncertain = m.signs && find_uncertain(g, bad, &r, again);
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
