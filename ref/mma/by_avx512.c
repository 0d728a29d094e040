/* The scaled MFMA in AVX-512, for profiles of exact sums. There are three methods here,
 * and words in by_words.c.
 *
 * Bytes, for block32 and formats with elements that fit a signed byte in units of the
 * smallest subnormal: E2M1 (up to 12) and E2M3 (up to 60). A block's dot is an integer
 * below 32 * 60 * 60 < 2^17, by VPDPBUSD. VPDPBUSD takes one unsigned factor, so B gets
 * the offset 64, and the sum starts at -64 times the row's sum to compensate. In float,
 * the dot times the row's scale is exact, because it stays in range (move_large). An FMA
 * multiplies it by the column's scale, a power of two that may be subnormal, adds the
 * accumulator and rounds once. Usually the product of both scales is normal, and the FMA
 * multiplies the dot by it. A zero dot has lost its sign, which matters only if it is
 * added to -0; then the method gives up.
 *
 * Chains, for fma32: elements times scales are exact floats, because they have at most 4
 * significant bits between 2^-143 and 2^128 (chains_apply). Every step is an FMA.
 *
 * Doubles, for blocks: the products of a block and their sums are multiples of a unit. If they
 * have at most 53 bits (dots_are_exact), all sums are exact. Else, and where several blocks are
 * added, two sums are computed, with all roundings down and with all roundings up. The exact sum
 * is between them, so it rounds to the same f32 as both if they agree; integers compute the other
 * results. The last step is sum + accumulator, rounded to odd and then to f32, as in by_floats.c.
 * The results of rounding down and up are neighbours; if they differ, the odd one is the sum
 * rounded to odd. If they are equal, the upward one is taken, because it is -0 only if all addends
 * are -0. No double overflows or underflows here, and infinity and NaN are the same in both sums.
 *
 * Instructions name their rounding where it matters. The thread's mode decides whether
 * subnormals are flushed, so it is checked each time, as in by_floats.c. */
#include "tile.h"
#include "../num/cpu.h"

#include <limits.h>
#include <threads.h>

#if defined(__x86_64__)
#include "avx512.h"
#include "kept.h"

enum { OFFSET = 64 };
enum { SCALE_BITS = 4 }; /* of a scale that is a float */
enum { GROUP = 4 };      /* codes in a dword of bytes */

/* ---- loading ---- */

/* The values of the scales that are floats. */
static float scale_tables[MX_SCALE_FORMATS][256];

static void make_scale_tables(void) {
	for (mx_scale_format f = MX_S_E5M3; f < MX_SCALE_FORMATS; f++)
		for (int code = 0; code < 256; code++) {
			mx_f32 value = mx_block_scale_to_f32(f, (uint8_t)code);
			memcpy(&scale_tables[f][code], &value, sizeof value);
		}
}

static const float *scale_table(mx_scale_format f) {
	static once_flag made = ONCE_FLAG_INIT;
	call_once(&made, make_scale_tables);
	return scale_tables[f];
}

AVX512 INLINE __m512 scales_of(mx_scale_format f, const uint8_t *code) {
	if (f == MX_S_E8M0)
		return e8m0_scales_of(code);
	__m512i byte = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)code));
	return _mm512_i32gather_ps(byte, scale_table(f), sizeof(float));
}

AVX512 static void load_scales(const struct side *o, float (*scale)[MX_TILE_MN]) {
	unsigned MN = mx_mn(o->shape);
	for (unsigned i = 0; i < o->codes; i += WIDE)
		_mm512_storeu_ps(&scale[i / MN][i % MN], scales_of(o->scales, o->scale + i));
}

AVX512 INLINE unsigned least_byte(__m512i x) {
	__m256i y = _mm256_min_epu8(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
	__m128i z = _mm_min_epu8(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
	z = _mm_min_epu8(z, _mm_srli_epi16(z, 8));
	return _mm_cvtsi128_si32(_mm_minpos_epu16(z)) & 0xFF;
}

/* ---- bytes ---- */

enum { GROUPS = MX_BLOCK / GROUP, BLOCKS = 4 };
enum { ROWS = 16 }; /* computed together */

/* An operand. */
struct bytes {
	/* GROUP codes each: [block][group][row or column] */
	_Alignas(LINE) uint32_t codes[MX_TILE_ELEMS / GROUP];
	float scale[BLOCKS][MX_TILE_MN]; /* of a unit of the format */
	int least, most;                 /* scales are from 2^least to 2^most; beyond: a NaN */
	/* A: what a sum starts at; what multiplies a column's scale by the row's if are_normal; and
	 * rows with large scales, a bit each. */
	int32_t start[BLOCKS][MX_TILE_MN], power[BLOCKS][MX_TILE_MN];
	uint32_t large[BLOCKS], any_large;
	/* B: the scales for these rows. */
	float scale_large[BLOCKS][MX_TILE_MN];
};

_Static_assert(sizeof(struct bytes) <= MX_KEPT_BYTES, "room for bytes");

static bool is_byte_format(mx_format f) {
	return f == MX_E2M1 || f == MX_E2M3;
}

static bool bytes_apply(const struct mx_mma_args *g) {
	return g->profile->group == MX_BLOCK && is_byte_format(g->fmt_a) &&
	       is_byte_format(g->fmt_b) && mx_scales_are_e8m0(g);
}

/* The integer of each code, for VPERMB. */
static int8_t byte_tables[MX_FORMATS][64];

static void make_byte_tables(void) {
	for (mx_format f = 0; f < MX_FORMATS; f++)
		for (int code = 0; code < 64 && is_byte_format(f); code++) {
			struct mx_unpacked u = mx_elem_unpack(f, (mx_elem){ code });
			int magnitude = u.sig << (u.exp - mx_unit(f));
			byte_tables[f][code] = u.negative ? -magnitude : magnitude;
		}
}

AVX512 static __m512i byte_table(mx_format f) {
	static once_flag made = ONCE_FLAG_INIT;
	call_once(&made, make_byte_tables);
	return _mm512_loadu_si512(byte_tables[f]);
}

/* In these formats a lane holds 32 consecutive k, which are a block. */
AVX512 INLINE uint32_t *place_of(struct bytes *x, unsigned MN, unsigned lane, unsigned group) {
	return &x->codes[(lane / MN * GROUPS + group) * MN + lane % MN];
}

AVX512 INLINE void load_groups(unsigned bits, __m512i table, unsigned MN,
                               const uint32_t (*regs)[MX_LANES], struct bytes *x) {
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
#pragma GCC unroll 8
		for (unsigned j = 0; j < MX_BLOCK; j += GROUP) {
			__m512i dword = codes(bits, regs, lane, j);
#pragma GCC unroll 4
			for (unsigned i = 1; i < GROUP; i++)
				dword = _mm512_or_si512(
					dword,
					_mm512_slli_epi32(codes(bits, regs, lane, j + i), 8 * i));
			_mm512_storeu_si512(place_of(x, MN, lane, j / GROUP),
			                    _mm512_permutexvar_epi8(dword, table));
		}
}

/* Nibbles 0, 2, 4, 6 of each dword, then 1, 3, 5, 7: an order of k that does not matter to the sum
 * over a block if both operands have it. */
AVX512 INLINE void load_nibbles(__m512i table, unsigned MN, const uint32_t (*regs)[MX_LANES],
                                struct bytes *x) {
	const __m512i low = _mm512_set1_epi8(15);
	table = _mm512_broadcast_i32x4(_mm512_castsi512_si128(table));
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
#pragma GCC unroll 4
		for (unsigned at = 0; at < 4; at++) {
			__m512i dword = _mm512_loadu_si512(&regs[at][lane]);
			__m512i even = _mm512_and_si512(dword, low);
			__m512i odd = _mm512_and_si512(_mm512_srli_epi32(dword, 4), low);
			_mm512_storeu_si512(place_of(x, MN, lane, 2 * at),
			                    _mm512_shuffle_epi8(table, even));
			_mm512_storeu_si512(place_of(x, MN, lane, 2 * at + 1),
			                    _mm512_shuffle_epi8(table, odd));
		}
	}
}

AVX512 static void load_codes(struct bytes *x, const struct side *o, bool nibbles, int offset) {
	__m512i table = _mm512_add_epi8(byte_table(o->format), _mm512_set1_epi8(offset));
	unsigned MN = mx_mn(o->shape);
	if (nibbles)
		load_nibbles(table, MN, o->regs, x);
	else if (o->format == MX_E2M1)
		load_groups(4, table, MN, o->regs, x);
	else
		load_groups(6, table, MN, o->regs, x);
}

/* Minus OFFSET times the sums of the rows. */
AVX512 static void load_starts(struct bytes *x, unsigned MN) {
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
		__m512i sum = _mm512_setzero_si512();
		for (unsigned i = 0; i < GROUPS; i++)
			sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(OFFSET),
			                          _mm512_loadu_si512(place_of(x, MN, lane, i)));
		_mm512_storeu_si512(&x->start[lane / MN][lane % MN],
		                    _mm512_sub_epi32(_mm512_setzero_si512(), sum));
	}
}

/* The scales in units of the format. In B they may be subnormal; a unit is at least 2^-3. */
AVX512 static void load_units(struct bytes *x, const struct side *o) {
	unsigned MN = mx_mn(o->shape);
	__m512 unit =
		_mm512_castsi512_ps(_mm512_set1_epi32((127 + mx_unit(o->format)) << MX_F32_MAN));
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
		__m512 scale = _mm512_mul_ps(e8m0_scales_of(o->scale + lane), unit);
		_mm512_storeu_ps(&x->scale[lane / MN][lane % MN], scale);
		_mm512_storeu_si512(&x->power[lane / MN][lane % MN],
		                    _mm512_sub_epi32(_mm512_castps_si512(scale),
		                                     _mm512_castps_si512(_mm512_set1_ps(1))));
	}
	__m512i codes = _mm512_loadu_si512(o->scale), ones = _mm512_set1_epi8(-1);
	x->least = (int)least_byte(codes) - 127 + mx_unit(o->format);
	unsigned largest = 255 - least_byte(_mm512_xor_si512(codes, ones));
	x->most = largest == 0xFF ? INT_MAX / 2 : (int)largest - 127 + mx_unit(o->format);
}

/* A dot times its row's scale may reach 2^128. Such large scales are divided by 2^32, and those of
 * columns multiplied, but to at most 2^127: beyond, every product but 0 overflows in any case.
 * Scales have no lower limit: dots are integers, and 2^-127 * 2^-3 is a multiple of 2^-149. */
AVX512 static void move_large(struct bytes *x, unsigned MN) {
	const __m512 down = _mm512_set1_ps(0x1p-32f), least = _mm512_set1_ps(0x1p111f);
	x->any_large = 0;
	memset(x->large, 0, sizeof x->large);
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
		float *to = &x->scale[lane / MN][lane % MN];
		__m512 scale = _mm512_loadu_ps(to);
		__mmask16 large = _mm512_cmp_ps_mask(scale, least, _CMP_GE_OQ);
		_mm512_storeu_ps(to, _mm512_mask_mul_ps(scale, large, scale, down));
		x->large[lane / MN] |= (uint32_t)large << lane % MN;
		x->any_large |= large;
	}
}

AVX512 static void load_for_large(struct bytes *x, unsigned MN) {
	const __m512 up = _mm512_set1_ps(0x1p32f), most = _mm512_set1_ps(0x1p127f);
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
		__m512 scale = _mm512_loadu_ps(&x->scale[lane / MN][lane % MN]);
		_mm512_storeu_ps(&x->scale_large[lane / MN][lane % MN],
		                 _mm512_min_ps(most, _mm512_mul_ps(scale, up))); /* NaN stays */
	}
}

AVX512 static void load_bytes(struct bytes *x, const struct side *o, mx_side s, bool nibbles) {
	unsigned MN = mx_mn(o->shape);
	load_codes(x, o, nibbles, s == MX_SIDE_A ? 0 : OFFSET);
	load_units(x, o);
	if (s == MX_SIDE_A) {
		load_starts(x, MN);
		move_large(x, MN);
	} else
		load_for_large(x, MN);
}

/* NULL: no memory. */
AVX512 static const struct bytes *bytes_of(const struct mx_mma_args *g, mx_side s) {
	bool nibbles = g->fmt_a == MX_E2M1 && g->fmt_b == MX_E2M1;
	struct side o = mx_side_of(g, s);
	struct mx_kept *k = mx_kept_operand(nibbles ? MX_KEPT_NIBBLES : MX_KEPT_GROUPS, s, &o);
	if (k && !k->loaded) {
		load_bytes((struct bytes *)k->operand, &o, s, nibbles);
		k->loaded = true;
	}
	return k ? (const struct bytes *)k->operand : NULL;
}

/* c += dots of a row times scales, of which are_normal says that the sum of their bits is that of
 * their product, but for the bias. */
AVX512 INLINE void add_easy_dot(const struct bytes *a, unsigned block, unsigned row, __m512i dot,
                                __m512 of_columns, __m512 *c) {
	__m512i scale = _mm512_add_epi32(_mm512_castps_si512(of_columns),
	                                 _mm512_set1_epi32(a->power[block][row]));
	*c = _mm512_fmadd_round_ps(_mm512_cvtepi32_ps(dot), _mm512_castsi512_ps(scale), *c,
	                           NEAREST);
}

/* The same of any scales, where the row may have a large one. Returns the columns in which a zero
 * dot is added to -0. */
AVX512 INLINE __mmask16 add_hard_dot(const struct bytes *a, unsigned block, unsigned row,
                                     __m512i dot, __m512 of_columns, __m512 if_large, __m512 *c) {
	__m512 scaled = _mm512_mul_round_ps(_mm512_cvtepi32_ps(dot),
	                                    _mm512_set1_ps(a->scale[block][row]), NEAREST);
	__mmask16 large = (__mmask16) - (a->large[block] >> row & 1);
	__mmask16 gone = negative_zeros(_mm512_testn_epi32_mask(dot, dot), *c);
	*c = _mm512_fmadd_round_ps(scaled, _mm512_mask_mov_ps(of_columns, large, if_large), *c,
	                           NEAREST);
	return gone;
}

/* All blocks of ROWS rows and WIDE columns, a block at a time, because B's part of it and the
 * accumulators fit in registers. With `hard`, scales are any, and it returns the columns in which a
 * zero dot is added to -0. */
AVX512 INLINE __mmask16 add_rows(const struct bytes *a, const struct bytes *b, unsigned MN,
                                 unsigned row, unsigned col, bool hard, float (*acc)[WIDE]) {
	__mmask16 gone = 0;
	__m512 c[ROWS];
#pragma GCC unroll 16
	for (unsigned i = 0; i < ROWS; i++)
		c[i] = _mm512_loadu_ps(acc[i]);
	for (unsigned block = 0; block < MX_LANES / MN; block++) {
		const uint32_t *x = &a->codes[block * GROUPS * MN + row];
		const uint32_t *y = &b->codes[block * GROUPS * MN + col];
		__m512 sb = _mm512_loadu_ps(&b->scale[block][col]);
		__m512 sb_large = _mm512_loadu_ps(&b->scale_large[block][col]);
		__m512i group[GROUPS];
#pragma GCC unroll 8
		for (unsigned j = 0; j < GROUPS; j++)
			group[j] = _mm512_loadu_si512(y + j * MN);
#pragma GCC unroll 16
		for (unsigned i = 0; i < ROWS; i++) {
			__m512i dot = _mm512_set1_epi32(a->start[block][row + i]);
#pragma GCC unroll 8
			for (unsigned j = 0; j < GROUPS; j++)
				dot = _mm512_dpbusd_epi32(dot, group[j],
				                          _mm512_set1_epi32((int)x[j * MN + i]));
			if (hard)
				gone |= add_hard_dot(a, block, row + i, dot, sb, sb_large, &c[i]);
			else
				add_easy_dot(a, block, row + i, dot, sb, &c[i]);
		}
	}
#pragma GCC unroll 16
	for (unsigned i = 0; i < ROWS; i++)
		_mm512_storeu_ps(acc[i], c[i]);
	return gone;
}

AVX512 INLINE __mmask16 add_all_rows(const struct bytes *a, const struct bytes *b, unsigned MN,
                                     bool hard, struct results *r) {
	__mmask16 gone = 0;
	for (unsigned strip = 0; strip < MN / WIDE; strip++)
		for (unsigned row = 0; row < MN; row += ROWS)
			gone |= add_rows(a, b, MN, row, strip * WIDE, hard, &r->acc[strip][row]);
	return gone;
}

/* Whether all scales and their products are normal floats. */
static bool are_normal(const struct bytes *a, const struct bytes *b) {
	enum { LEAST = -126, MOST = 127 };
	return a->least >= LEAST && b->least >= LEAST && a->least + b->least >= LEAST &&
	       a->most <= MOST && b->most <= MOST && a->most + b->most <= MOST;
}

/* Whether scales are not normal or large, or a sum may be -0: none is if no accumulator is and all
 * dots are multiples of 2^-149, the smallest f32. */
AVX512 static bool is_hard(const struct mx_mma_args *g, const struct bytes *a,
                           const struct bytes *b, const struct results *r) {
	return any_negative_zero(r, mx_mn(g->shape)) || a->any_large || !are_normal(a, b);
}

/* False if it gave up. */
AVX512 static bool by_bytes(const struct mx_mma_args *g) {
	const struct bytes *a = bytes_of(g, MX_SIDE_A), *b = bytes_of(g, MX_SIDE_B);
	struct results r;
	__mmask16 gone = 0;
	if (!a || !b)
		return false;
	load_results(&r, g);
	if (is_hard(g, a, b, &r))
		gone = add_all_rows(a, b, mx_mn(g->shape), true, &r);
	else if (g->shape == MX_16X16X128)
		add_all_rows(a, b, 16, false, &r);
	else
		add_all_rows(a, b, 32, false, &r);
	if (!gone)
		store_results(&r, g);
	return !gone;
}

/* ---- chains ---- */

struct chains {
	_Alignas(LINE) float a[MX_TILE_ELEMS], b[MX_TILE_ELEMS]; /* [k][row or column], scaled */
};

/* 57344 * 2^112 < 2^128. */
static bool are_small(const struct side *o) {
	for (unsigned i = 0; o->scales == MX_S_E8M0 && i < o->codes; i++)
		if (o->scale[i] > 127 + 112 && o->scale[i] != 0xFF)
			return false;
	return true;
}

static bool chains_apply(const struct mx_mma_args *g) {
	if (g->profile->group != 1)
		return false;
	struct side a = mx_side_of(g, MX_SIDE_A), b = mx_side_of(g, MX_SIDE_B);
	return are_small(&a) && are_small(&b);
}

AVX512 static void load_scaled(const struct side *o, float *out) {
	const struct mx_format_info *t = mx_format_info(o->format);
	unsigned MN = mx_mn(o->shape), mn, k;
	float scales[MX_TILE_BLOCKS][MX_TILE_MN];
	load_scales(o, scales);
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned first = 0; first < MX_BLOCK; first += RUN) {
			mx_place_item(o->shape, t->bits, lane, first, &mn, &k);
			__m512 scale = _mm512_loadu_ps(&scales[k / o->block][mn]);
			for (unsigned j = first; j < first + RUN; j++, k++) {
				__m512 x = values(t, codes(t->bits, o->regs, lane, j));
				x = _mm512_mul_round_ps(x, scale, NEAREST);
				_mm512_storeu_ps(&out[k * MN + mn], x);
			}
		}
}

/* Four rows at a time, so that FMAs need not wait for each other. */
AVX512 static void by_chains(const struct mx_mma_args *g) {
	unsigned MN = mx_mn(g->shape), K = mx_shape_k(g->shape), row, col;
	struct chains x;
	struct side a = mx_side_of(g, MX_SIDE_A), b = mx_side_of(g, MX_SIDE_B);
	load_scaled(&a, x.a);
	load_scaled(&b, x.b);
	for (unsigned r = 0; r < mx_results(g->shape); r += 4)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			__m512 acc[4];
			mx_place_result(g->shape, lane, r, &row, &col);
			for (unsigned i = 0; i < 4; i++)
				acc[i] = _mm512_loadu_ps(&g->c[r + i][lane]);
			for (unsigned k = 0; k < K; k++)
				for (unsigned i = 0; i < 4; i++)
					acc[i] = _mm512_fmadd_round_ps(
						_mm512_set1_ps(x.a[k * MN + row + i]),
						_mm512_loadu_ps(&x.b[k * MN + col]), acc[i],
						NEAREST);
			for (unsigned i = 0; i < 4; i++)
				_mm512_storeu_si512(&g->d[r + i][lane], with_one_nan(acc[i]));
		}
}

/* ---- doubles ---- */

struct factors {
	_Alignas(LINE) double value[MX_TILE_ELEMS]; /* [k][row or column], in units */
	_Alignas(LINE) double scale[MX_TILE_BLOCKS][MX_TILE_MN];
	unsigned width; /* bits from the unit of the least value but 0 to the top of the largest */
};

struct doubles {
	const struct factors *a, *b;
};

AVX512 INLINE void store_doubles(double *out, __m512 x) {
	_mm512_storeu_pd(out, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
	_mm512_storeu_pd(out + 8, _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
}

/* Codes of 8 bits as f16: E5M2 is the upper byte of one. E4M3 has its fields one bit lower, and
 * another bias: it is 2^8 times the f16. */
AVX512 INLINE void load_halves(struct factors *x, mx_shape s, mx_format f,
                               const uint32_t (*regs)[MX_LANES]) {
	/* Byte 0 of each dword, to the upper half of a word. */
	const __m512i dwords = _mm512_cvtepu8_epi32(
		_mm_setr_epi8(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60));
	const __m512i from =
		_mm512_castsi256_si512(_mm256_slli_epi16(_mm512_cvtepi32_epi16(dwords), 8));
	const __mmask64 upper = 0xAAAAAAAA;
	unsigned MN = mx_mn(s), mn, k;
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned first = 0; first < MX_BLOCK; first += RUN) {
			mx_place_item(s, 8, lane, first, &mn, &k);
			double *out = x->value + k * MN + mn;
#pragma GCC unroll 16
			for (unsigned j = first; j < first + RUN; j++, out += MN) {
				__m512i byte =
					_mm512_add_epi8(from, _mm512_set1_epi8((char)(j % 4)));
				__m256i half = _mm512_castsi512_si256(_mm512_maskz_permutexvar_epi8(
					upper, byte, _mm512_loadu_si512(&regs[j / 4][lane])));
				if (f == MX_E4M3)
					half = _mm256_and_si256(_mm256_srai_epi16(half, 1),
					                        _mm256_set1_epi16((short)0xBF80));
				store_doubles(out, _mm512_cvtph_ps(half));
			}
		}
}

AVX512 static void load_all_halves(struct factors *x, mx_shape s, mx_format f,
                                   const uint32_t (*regs)[MX_LANES]) {
	if (s == MX_16X16X128 && f == MX_E4M3)
		load_halves(x, MX_16X16X128, MX_E4M3, regs);
	else if (s == MX_16X16X128)
		load_halves(x, MX_16X16X128, MX_E5M2, regs);
	else if (f == MX_E4M3)
		load_halves(x, MX_32X32X64, MX_E4M3, regs);
	else
		load_halves(x, MX_32X32X64, MX_E5M2, regs);
}

AVX512 static void load_values(struct factors *x, mx_shape s, mx_format f,
                               const uint32_t (*regs)[MX_LANES]) {
	const struct mx_format_info *t = mx_format_info(f);
	unsigned MN = mx_mn(s), mn, k;
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned first = 0; first < MX_BLOCK; first += RUN) {
			mx_place_item(s, t->bits, lane, first, &mn, &k);
			double *out = x->value + k * MN + mn;
			for (unsigned j = first; j < first + RUN; j++, out += MN)
				store_doubles(out, values(t, codes(t->bits, regs, lane, j)));
		}
}

/* The largest magnitude of codes of 8 bits, and the least other than 0 (256: there is none). */
AVX512 static void find_range(const uint32_t (*regs)[MX_LANES], unsigned *largest,
                              unsigned *least) {
	const __m512i ones = _mm512_set1_epi8(-1);
	__m512i most = _mm512_setzero_si512(), min = ones;
	for (unsigned r = 0; r < 8; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			__m512i x = _mm512_and_si512(_mm512_loadu_si512(&regs[r][lane]),
			                             _mm512_set1_epi8(0x7F));
			most = _mm512_max_epu8(most, x);
			min = _mm512_min_epu8(min, _mm512_add_epi8(x, ones));
		}
	*largest = 255 - least_byte(_mm512_xor_si512(most, ones));
	*least = least_byte(min) + 1;
}

/* The bits from the unit of the least magnitude to the largest one. */
static unsigned width_of(const struct mx_format_info *t, unsigned largest, unsigned least) {
	unsigned top = largest >> t->man_bits, bottom = least >> t->man_bits;
	return t->man_bits + 1 + (top > bottom ? top - (bottom ? bottom : 1) : 0);
}

/* A scale that is a float is a factor of the elements of its block, which gives them as many bits
 * more; the block has scale 1. */
AVX512 static void fold_scales(struct factors *x, const struct side *o, double unit) {
	unsigned MN = mx_mn(o->shape);
	x->width += SCALE_BITS;
	for (unsigned i = 0; i < o->codes; i += 8) {
		double *value = x->value + i / MN * o->block * MN + i % MN;
		__m512 scales = scales_of(o->scales, o->scale + i / WIDE * WIDE);
		__m256 half = i % WIDE ? _mm512_extractf32x8_ps(scales, 1)
		                       : _mm512_castps512_ps256(scales);
		__m512d scale = _mm512_cvtps_pd(half);
		for (unsigned k = 0; k < o->block; k++, value += MN)
			_mm512_storeu_pd(value, _mm512_mul_pd(_mm512_loadu_pd(value), scale));
		_mm512_storeu_pd(&x->scale[i / MN][i % MN], _mm512_set1_pd(unit));
	}
}

AVX512 INLINE void load_powers(struct factors *x, const struct side *o, double unit) {
	unsigned MN = mx_mn(o->shape);
	for (unsigned at = 0; at < o->codes; at += WIDE) {
		double *scale = &x->scale[at / MN][at % MN];
		store_doubles(scale, e8m0_scales_of(o->scale + at));
		for (unsigned i = 0; i < WIDE; i += 8)
			_mm512_storeu_pd(scale + i, _mm512_mul_pd(_mm512_loadu_pd(scale + i),
			                                          _mm512_set1_pd(unit)));
	}
}

AVX512 static void load_factors(struct factors *x, const struct side *o) {
	const struct mx_format_info *t = mx_format_info(o->format);
	unsigned largest = 0, least = 0;
	x->width = mx_width(o->format);
	if (t->bits == 8) {
		find_range(o->regs, &largest, &least);
		x->width = width_of(t, largest, least);
	}
	bool halves = o->format == MX_E5M2 || (o->format == MX_E4M3 && largest < 0x7F);
	if (halves)
		load_all_halves(x, o->shape, o->format, o->regs);
	else
		load_values(x, o->shape, o->format, o->regs);
	double unit = halves && o->format == MX_E4M3 ? 0x1p8 : 1;
	if (o->scales == MX_S_E8M0)
		load_powers(x, o, unit);
	else
		fold_scales(x, o, unit);
}

_Static_assert(sizeof(struct factors) <= MX_KEPT_BYTES, "room for factors");

/* NULL: no memory. */
AVX512 static const struct factors *factors_of(const struct mx_mma_args *g, mx_side s) {
	struct side o = mx_side_of(g, s);
	struct mx_kept *k = mx_kept_operand(MX_KEPT_FACTORS, s, &o);
	if (k && !k->loaded) {
		load_factors((struct factors *)k->operand, &o);
		k->loaded = true;
	}
	return k ? (const struct factors *)k->operand : NULL;
}

/* A bound of the sum of a group, from below and from above. */
struct bounds {
	__m512d low, high;
};

enum { COLUMNS = WIDE / 8, MAX_ROWS = 8 };

/* What does not change in the loops, so that each combination is compiled on its own. */
struct method {
	unsigned MN, rows, block; /* rows computed together */
	bool wide;                /* dots may be inexact */
	bool several;             /* a group has several blocks */
};

/* The dots of a block: rows from a, WIDE columns from b. Without `wide` they are exact. */
AVX512 INLINE void block_dots(struct method m, const double *a, const double *b,
                              struct bounds dot[MAX_ROWS][COLUMNS]) {
#pragma GCC unroll 8
	for (unsigned i = 0; i < m.rows; i++)
#pragma GCC unroll 2
		for (unsigned j = 0; j < COLUMNS; j++)
			dot[i][j].low = dot[i][j].high = _mm512_set1_pd(-0.0);
	for (unsigned k = 0; k < m.block; k++, a += m.MN, b += m.MN) {
		__m512d y[COLUMNS] = { _mm512_loadu_pd(b), _mm512_loadu_pd(b + 8) };
		__asm__("" : "+v"(y[0]), "+v"(y[1])); /* loaded once, not for each FMA */
#pragma GCC unroll 8
		for (unsigned i = 0; i < m.rows; i++)
#pragma GCC unroll 2
			for (unsigned j = 0; j < COLUMNS; j++) {
				struct bounds *d = &dot[i][j];
				__m512d x = _mm512_set1_pd(a[i]);
				d->high = m.wide ? _mm512_fmadd_round_pd(x, y[j], d->high, UP)
				                 : _mm512_fmadd_pd(x, y[j], d->high);
				if (m.wide)
					d->low = _mm512_fmadd_round_pd(x, y[j], d->low, DOWN);
			}
	}
}

AVX512 INLINE __m256 round_sum(__m512d sum, __m256 acc) {
	__m512d c = _mm512_cvtps_pd(acc);
	__m512d down = _mm512_add_round_pd(sum, c, DOWN), up = _mm512_add_round_pd(sum, c, UP);
	return _mm512_cvt_roundpd_ps(to_odd_of(down, up), NEAREST);
}

/* Both bounds give the same f32. Zeros may differ in sign only if the bounds are equal. */
AVX512 INLINE __mmask8 agree(const struct bounds *sum, __m256 low, __m256 high) {
	return _mm512_cmp_pd_mask(sum->low, sum->high, _CMP_EQ_OQ) |
	       _mm256_cmpeq_epi32_mask(_mm256_castps_si256(low), _mm256_castps_si256(high)) |
	       _mm256_cmp_ps_mask(high, high, _CMP_UNORD_Q);
}

/* The dots of a block times its scales. */
AVX512 INLINE void scaled_dots(const struct doubles *x, struct method m, unsigned block,
                               unsigned row, unsigned col, struct bounds dot[MAX_ROWS][COLUMNS]) {
	unsigned at = block * m.block * m.MN;
	block_dots(m, x->a->value + at + row, x->b->value + at + col, dot);
#pragma GCC unroll 8
	for (unsigned i = 0; i < m.rows; i++)
#pragma GCC unroll 2
		for (unsigned j = 0; j < COLUMNS; j++) {
			__m512d sa = _mm512_set1_pd(x->a->scale[block][row + i]);
			__m512d sb = _mm512_loadu_pd(&x->b->scale[block][col + 8 * j]);
			__m512d scale = _mm512_mul_pd(sa, sb);
			dot[i][j].high = _mm512_mul_pd(dot[i][j].high, scale);
			dot[i][j].low =
				m.wide ? _mm512_mul_pd(dot[i][j].low, scale) : dot[i][j].high;
		}
}

/* sum += blocks first to end - 1. */
AVX512 INLINE void add_blocks(const struct doubles *x, struct method m, unsigned first,
                              unsigned end, unsigned row, unsigned col,
                              struct bounds sum[MAX_ROWS][COLUMNS]) {
	struct bounds dot[MAX_ROWS][COLUMNS];
	for (unsigned block = first; block < end; block++) {
		scaled_dots(x, m, block, row, col, dot);
#pragma GCC unroll 8
		for (unsigned i = 0; i < m.rows; i++)
#pragma GCC unroll 2
			for (unsigned j = 0; j < COLUMNS; j++) {
				struct bounds *s = &sum[i][j];
				s->low = _mm512_add_round_pd(s->low, dot[i][j].low, DOWN);
				s->high = _mm512_add_round_pd(s->high, dot[i][j].high, UP);
			}
	}
}

/* Adds blocks first to end - 1 to the accumulators of m.rows rows and WIDE columns. bad[row] gets
 * the columns that are not certain. */
AVX512 INLINE void add_group(const struct doubles *x, struct method m, unsigned first, unsigned end,
                             unsigned row, unsigned col, float (*acc)[WIDE], __mmask16 *bad) {
	struct bounds sum[MAX_ROWS][COLUMNS];
	scaled_dots(x, m, first, row, col, sum);
	if (m.several)
		add_blocks(x, m, first + 1, end, row, col, sum);
#pragma GCC unroll 8
	for (unsigned i = 0; i < m.rows; i++)
#pragma GCC unroll 2
		for (unsigned j = 0; j < COLUMNS; j++) {
			const struct bounds *s = &sum[i][j];
			__m256 c = _mm256_loadu_ps(acc[i] + 8 * j), high = round_sum(s->high, c);
			if (m.wide || m.several)
				bad[i] |= (__mmask8)~agree(s, round_sum(s->low, c), high) << 8 * j;
			_mm256_storeu_ps(acc[i] + 8 * j, high);
		}
}

AVX512 INLINE void add_groups(const struct mx_mma_args *g, const struct doubles *x, struct method m,
                              struct results *r, columns bad) {
	unsigned blocks = MX_TILE_ELEMS / m.MN / m.block;
	unsigned group = m.several ? g->profile->group / m.block : 1;
	group = group ? group : blocks;
	for (unsigned strip = 0; strip < m.MN / WIDE; strip++)
		for (unsigned row = 0; row < m.MN; row += m.rows)
			for (unsigned first = 0; first < blocks; first += group) {
				unsigned end = blocks - first < group ? blocks : first + group;
				add_group(x, m, first, end, row, strip * WIDE, &r->acc[strip][row],
				          &bad[strip][row]);
			}
}

/* Sums of 32 products. */
static bool dots_are_exact(const struct doubles *x) {
	return x->a->width + x->b->width + 5 <= 53;
}

/* Whether results may be uncertain. */
AVX512 static bool add_all(const struct mx_mma_args *g, const struct doubles *x, bool wide,
                           struct results *r, columns bad) {
	unsigned MN = mx_mn(g->shape), block = mx_block_of(g);
	bool several = g->profile->group != block || block != MX_BLOCK;
	if (wide || several)
		add_groups(g, x, (struct method){ MN, 4, block, wide, several }, r, bad);
	else if (g->shape == MX_16X16X128)
		add_groups(g, x, (struct method){ 16, 8, MX_BLOCK, false, false }, r, bad);
	else
		add_groups(g, x, (struct method){ 32, 8, MX_BLOCK, false, false }, r, bad);
	return wide || several;
}

AVX512 static bool by_doubles(const struct mx_mma_args *g) {
	uint64_t again[MX_TILE_RESULTS];
	columns bad = { { 0 } };
	struct results r;
	struct doubles x = { factors_of(g, MX_SIDE_A), factors_of(g, MX_SIDE_B) };
	if (!x.a || !x.b)
		return false;
	load_results(&r, g);
	bool uncertain =
		add_all(g, &x, !dots_are_exact(&x), &r, bad) && find_uncertain(g, bad, &r, again);
	store_results(&r, g);
	if (uncertain)
		(mx_scales_are_e8m0(g) ? mx_mma_some_by_integers : mx_mma_some_plain)(g, again);
	return true;
}

bool mx_mma_by_avx512(const struct mx_mma_args *g) {
	if (g->profile->align || !mx_cpu_has(MX_CPU_VBMI) || !mx_environment_is_ieee())
		return false;
	if (bytes_apply(g) && by_bytes(g))
		return true;
	if (chains_apply(g)) {
		by_chains(g);
		return true;
	}
	if (g->profile->group % mx_block_of(g))
		return false;
	return mx_mma_by_words(g) || by_doubles(g);
}

#else

bool mx_mma_by_avx512(const struct mx_mma_args *g) {
	(void)g;
	return false;
}

#endif
