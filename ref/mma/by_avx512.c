/* The scaled MFMA in AVX-512, for profiles of exact sums. There are three methods.
 *
 * Bytes, for block32 and formats with elements that fit a signed byte in units of the
 * smallest subnormal: E2M1 (up to 12) and E2M3 (up to 60). A block's dot is an integer
 * below 32 * 60 * 60 < 2^17, by VPDPBUSD. VPDPBUSD takes one unsigned factor, so B gets
 * the offset 64, and the sum starts at -64 times the row's sum to compensate. In float,
 * the dot times the row's scale is exact, because it stays in range (bytes_apply). An FMA
 * multiplies it by the column's scale, a power of two that may be subnormal, adds the
 * accumulator and rounds once. A zero dot has lost its sign, which matters only for an
 * accumulator of -0; the method gives up on one.
 *
 * Chains, for fma32: elements times scales are exact floats, because they have at most 4
 * significant bits between 2^-143 and 2^128 (chains_apply). Every step is an FMA.
 *
 * Doubles, for blocks: as in by_floats.c, the products of a block and their sums are
 * multiples of a unit and have at most 53 bits, so their order does not matter. E5M2 has
 * 32 bits and is cut in two pieces if needed: magnitudes from 2 are multiples of 1/2
 * below 2^16, smaller ones are multiples of 2^-16; each piece has 17 bits. Sums of pieces,
 * and of several blocks of a group, are computed in both directed roundings. If these
 * differ, the sum is not exact, and integers compute that result. The last step is
 * sum + accumulator, rounded to odd and then to f32, as in by_floats.c. The results of
 * rounding down and up are neighbours; if they differ, the odd one is the sum rounded to
 * odd. If they are equal, the upward one is taken, because it is -0 only if all addends
 * are -0. No double overflows or underflows here.
 * An absent piece is a zero with the element's sign, which keeps the sign of a zero sum.
 * Infinity times an absent piece would be NaN, so the method refuses infinities if both
 * operands are cut.
 *
 * Instructions name their rounding where it matters. The thread's mode decides whether
 * subnormals are flushed, so it is checked each time, as in by_floats.c. */
#include "tile.h"
#include "../num/cpu.h"
#include "../num/f32.h"

#include <string.h>
#include <threads.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512                                                                                     \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vnni,fma")))

enum { WIDE = 16 }; /* columns computed together: a quarter of a wave */
enum { RUN = 16 };  /* elements of a lane that are consecutive in k, in all layouts */
enum { OFFSET = 64, DOT_BITS = 17 };
enum { GROUP = 4 }; /* codes in a dword of bytes */
enum {
	DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC,
	UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
	NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC
};

/* ---- loading ---- */

/* Element j of WIDE consecutive lanes. */
AVX512 static inline __attribute__((always_inline)) __m512i
codes(unsigned bits, const uint32_t (*regs)[MX_LANES], unsigned lane, unsigned j) {
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
AVX512 static inline __m512 values(const struct mx_format_info *t, __m512i code) {
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

/* A byte is the exponent field of its float, except 0x00 and 0xFF. */
AVX512 static void load_scales(mx_shape s, const uint8_t *code, float (*scale)[MX_TILE_MN]) {
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
		unsigned mn, block;
		mx_place_scale(s, lane, &mn, &block);
		__m512i byte = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(code + lane)));
		__m512i x = _mm512_slli_epi32(byte, MX_F32_MAN);
		__mmask16 nan = _mm512_cmpeq_epi32_mask(byte, _mm512_set1_epi32(0xFF));
		x = _mm512_mask_mov_epi32(x, _mm512_testn_epi32_mask(byte, byte),
		                          _mm512_set1_epi32(1 << (MX_F32_MAN - 1)));
		x = _mm512_mask_mov_epi32(x, nan, _mm512_set1_epi32(MX_F32_NAN));
		_mm512_storeu_si512(&scale[block][mn], x);
	}
}

AVX512 static void store_result(uint32_t *d, __m512 acc) {
	__mmask16 nan = _mm512_cmp_ps_mask(acc, acc, _CMP_UNORD_Q);
	_mm512_storeu_si512(d, _mm512_mask_mov_epi32(_mm512_castps_si512(acc), nan,
	                                             _mm512_set1_epi32(MX_F32_NAN)));
}

/* ---- bytes ---- */

struct bytes {
	/* GROUP codes of one k-group: [block][group][row or column] */
	uint32_t a[MX_TILE_BLOCKS][MX_BLOCK / GROUP][MX_TILE_MN];
	uint32_t b[MX_TILE_BLOCKS][MX_BLOCK / GROUP][MX_TILE_MN];
	int32_t start[MX_TILE_BLOCKS][MX_TILE_MN];
	float sa[MX_TILE_BLOCKS][MX_TILE_MN], sb[MX_TILE_BLOCKS][MX_TILE_MN];
};

static bool is_byte_format(mx_format f) {
	return f == MX_E2M1 || f == MX_E2M3;
}

/* The row's scale, with the units of both formats in it, must keep dots below 2^128. It has no
 * lower limit: dots are integers, and 2^-127 * 2^-6 is a multiple of 2^-149. */
static bool bytes_apply(const struct mx_mma_args *g) {
	int most = 127 - DOT_BITS - mx_unit(g->fmt_a) - mx_unit(g->fmt_b);
	if (g->profile->group != MX_BLOCK || !is_byte_format(g->fmt_a) || !is_byte_format(g->fmt_b))
		return false;
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		if (g->scale_a[lane] != 0xFF && g->scale_a[lane] - 127 > most)
			return false;
	return true;
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
AVX512 static inline __attribute__((always_inline)) void
load_groups(unsigned bits, __m512i table, unsigned MN, const uint32_t (*regs)[MX_LANES],
            uint32_t (*out)[MX_BLOCK / GROUP][MX_TILE_MN]) {
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
#pragma GCC unroll 8
		for (unsigned j = 0; j < MX_BLOCK; j += GROUP) {
			__m512i dword = codes(bits, regs, lane, j);
#pragma GCC unroll 4
			for (unsigned i = 1; i < GROUP; i++)
				dword = _mm512_or_si512(
					dword,
					_mm512_slli_epi32(codes(bits, regs, lane, j + i), 8 * i));
			_mm512_storeu_si512(&out[lane / MN][j / GROUP][lane % MN],
			                    _mm512_permutexvar_epi8(dword, table));
		}
}

AVX512 static void load_bytes(mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES], int offset,
                              uint32_t (*out)[MX_BLOCK / GROUP][MX_TILE_MN]) {
	__m512i table = _mm512_add_epi8(byte_table(f), _mm512_set1_epi8(offset));
	if (f == MX_E2M1)
		load_groups(4, table, mx_shape_mn(s), regs, out);
	else
		load_groups(6, table, mx_shape_mn(s), regs, out);
}

AVX512 static void load_starts(struct bytes *x, unsigned MN, unsigned blocks) {
	for (unsigned block = 0; block < blocks; block++)
		for (unsigned row = 0; row < MN; row += WIDE) {
			__m512i sum = _mm512_setzero_si512();
			for (unsigned i = 0; i < MX_BLOCK / GROUP; i++)
				sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(OFFSET),
				                          _mm512_loadu_si512(&x->a[block][i][row]));
			_mm512_storeu_si512(&x->start[block][row],
			                    _mm512_sub_epi32(_mm512_setzero_si512(), sum));
		}
}

AVX512 static void load_all_bytes(struct bytes *x, const struct mx_mma_args *g) {
	unsigned MN = mx_shape_mn(g->shape), blocks = mx_shape_k(g->shape) / MX_BLOCK;
	int exp = 127 + mx_unit(g->fmt_a) + mx_unit(g->fmt_b);
	__m512 units = _mm512_castsi512_ps(_mm512_set1_epi32(exp << MX_F32_MAN));
	load_bytes(g->shape, g->fmt_a, g->a, 0, x->a);
	load_bytes(g->shape, g->fmt_b, g->b, OFFSET, x->b);
	load_starts(x, MN, blocks);
	load_scales(g->shape, g->scale_a, x->sa);
	load_scales(g->shape, g->scale_b, x->sb);
	for (unsigned block = 0; block < blocks; block++)
		for (unsigned row = 0; row < MN; row += WIDE) {
			float *sa = &x->sa[block][row];
			_mm512_storeu_ps(sa, _mm512_mul_ps(_mm512_loadu_ps(sa), units));
		}
}

/* The blocks of one row and WIDE columns; *gave_up gets the lanes with an accumulator of -0. */
AVX512 static inline __m512 bytes_row(const struct bytes *x, unsigned blocks, unsigned row,
                                      unsigned col, __m512 acc, __mmask16 *gave_up) {
	const __m512i neg_zero = _mm512_set1_epi32((int)MX_F32_SIGN);
	for (unsigned block = 0; block < blocks; block++) {
		__m512i dot = _mm512_set1_epi32(x->start[block][row]);
		for (unsigned i = 0; i < MX_BLOCK / GROUP; i++)
			dot = _mm512_dpbusd_epi32(dot, _mm512_loadu_si512(&x->b[block][i][col]),
			                          _mm512_set1_epi32((int)x->a[block][i][row]));
		__m512 scaled = _mm512_mul_round_ps(_mm512_cvtepi32_ps(dot),
		                                    _mm512_set1_ps(x->sa[block][row]), NEAREST);
		*gave_up |= _mm512_cmpeq_epi32_mask(_mm512_castps_si512(acc), neg_zero);
		acc = _mm512_fmadd_round_ps(scaled, _mm512_loadu_ps(&x->sb[block][col]), acc,
		                            NEAREST);
	}
	return acc;
}

AVX512 static bool by_bytes(const struct mx_mma_args *g) {
	unsigned blocks = mx_shape_k(g->shape) / MX_BLOCK, row, col;
	uint32_t d[MX_TILE_RESULTS][MX_LANES];
	__mmask16 gave_up = 0;
	struct bytes x;
	load_all_bytes(&x, g);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			mx_place_result(g->shape, lane, r, &row, &col);
			__m512 acc = _mm512_loadu_ps(&g->c[r][lane]);
			store_result(&d[r][lane], bytes_row(&x, blocks, row, col, acc, &gave_up));
		}
	if (!gave_up)
		memcpy(g->d, d, mx_results(g->shape) * sizeof *d);
	return !gave_up;
}

/* ---- chains ---- */

struct chains {
	float a[MX_TILE_ELEMS], b[MX_TILE_ELEMS]; /* [k][row or column], scaled */
};

/* 57344 * 2^112 < 2^128. */
static bool chains_apply(const struct mx_mma_args *g) {
	if (g->profile->group != 1)
		return false;
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		if ((g->scale_a[lane] > 127 + 112 && g->scale_a[lane] != 0xFF) ||
		    (g->scale_b[lane] > 127 + 112 && g->scale_b[lane] != 0xFF))
			return false;
	return true;
}

AVX512 static void load_scaled(mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                               const uint8_t *scales, float *out) {
	const struct mx_format_info *t = mx_format_info(f);
	unsigned MN = mx_shape_mn(s), mn = 0, k = 0;
	float scale[MX_TILE_BLOCKS][MX_TILE_MN];
	load_scales(s, scales, scale);
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned j = 0; j < MX_BLOCK; j++, k++) {
			if (j % RUN == 0)
				mx_place_operand(s, f, lane, j, &mn, &k);
			__m512 x = values(t, codes(t->bits, regs, lane, j));
			x = _mm512_mul_round_ps(x, _mm512_loadu_ps(&scale[k / MX_BLOCK][mn]),
			                        NEAREST);
			_mm512_storeu_ps(&out[k * MN + mn], x);
		}
}

/* Four rows at a time, so that FMAs need not wait for each other. */
AVX512 static void by_chains(const struct mx_mma_args *g) {
	unsigned MN = mx_shape_mn(g->shape), K = mx_shape_k(g->shape), row, col;
	struct chains x;
	load_scaled(g->shape, g->fmt_a, g->a, g->scale_a, x.a);
	load_scaled(g->shape, g->fmt_b, g->b, g->scale_b, x.b);
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
				store_result(&g->d[r + i][lane], acc[i]);
		}
}

/* ---- doubles ---- */

struct pieces {
	unsigned n;
	bool infinite;                  /* an element is infinite */
	double value[2][MX_TILE_ELEMS]; /* the larger one first; [k][row or column] */
};

struct doubles {
	struct pieces a, b;
	float sa[MX_TILE_BLOCKS][MX_TILE_MN], sb[MX_TILE_BLOCKS][MX_TILE_MN];
};

AVX512 static inline void store_doubles(double *out, __m512 x) {
	_mm512_storeu_pd(out, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
	_mm512_storeu_pd(out + 8, _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
}

AVX512 static void load_pieces(struct pieces *p, mx_shape s, mx_format f,
                               const uint32_t (*regs)[MX_LANES]) {
	const struct mx_format_info *t = mx_format_info(f);
	const __m512 magnitude = _mm512_castsi512_ps(_mm512_set1_epi32(~MX_F32_SIGN));
	const __m512 infinity = _mm512_castsi512_ps(_mm512_set1_epi32(MX_F32_INF));
	unsigned MN = mx_shape_mn(s), mn = 0, k = 0;
	p->infinite = false;
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned j = 0; j < MX_BLOCK; j++, k++) {
			if (j % RUN == 0)
				mx_place_operand(s, f, lane, j, &mn, &k);
			__m512 x = values(t, codes(t->bits, regs, lane, j));
			__m512 size = _mm512_and_ps(x, magnitude),
			       zero = _mm512_andnot_ps(magnitude, x);
			__mmask16 low = _mm512_cmp_ps_mask(size, _mm512_set1_ps(2), _CMP_LT_OQ);
			p->infinite |= _mm512_cmp_ps_mask(size, infinity, _CMP_EQ_OQ) != 0;
			if (p->n == 1)
				low = 0;
			else
				store_doubles(&p->value[1][k * MN + mn],
				              _mm512_mask_mov_ps(zero, low, x));
			store_doubles(&p->value[0][k * MN + mn], _mm512_mask_mov_ps(x, low, zero));
		}
}

/* Four rows and WIDE columns. */
struct strip {
	__m512d v[4][2];
};

AVX512 static inline void block_dots(unsigned MN, const double *a, const double *b,
                                     struct strip *out) {
	struct strip s;
	for (unsigned i = 0; i < 8; i++)
		s.v[i / 2][i % 2] = _mm512_set1_pd(-0.0);
	for (unsigned k = 0; k < MX_BLOCK; k++, a += MN, b += MN)
		for (unsigned i = 0; i < 4; i++) {
			__m512d x = _mm512_set1_pd(a[i]);
			s.v[i][0] = _mm512_fmadd_pd(x, _mm512_loadu_pd(b), s.v[i][0]);
			s.v[i][1] = _mm512_fmadd_pd(x, _mm512_loadu_pd(b + 8), s.v[i][1]);
		}
	*out = s;
}

/* sum += x * scale, exact except in the lanes that *inexact gets. */
AVX512 static inline void add_exactly(__m512d *sum, __m512d x, __m512d scale, __mmask8 *inexact) {
	__m512d down = _mm512_fmadd_round_pd(x, scale, *sum, DOWN);
	*sum = _mm512_fmadd_round_pd(x, scale, *sum, UP);
	*inexact |= _mm512_cmp_pd_mask(down, *sum, _CMP_NEQ_OQ);
}

AVX512 static inline __m512d add_to_odd(__m512d x, __m512d y) {
	__m512d down = _mm512_add_round_pd(x, y, DOWN), up = _mm512_add_round_pd(x, y, UP);
	__mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(down), _mm512_set1_epi64(1));
	return _mm512_mask_mov_pd(up, odd, down);
}

/* The sum of the scaled dots of blocks first to end, exact except in the lanes of inexact[row]. */
AVX512 static void group_sums(const struct doubles *x, unsigned MN, unsigned first, unsigned end,
                              unsigned row, unsigned col, struct strip *sum,
                              __mmask8 (*inexact)[2]) {
	for (unsigned i = 0; i < 8; i++)
		sum->v[i / 2][i % 2] = _mm512_set1_pd(-0.0);
	for (unsigned block = first; block < end; block++)
		for (unsigned piece = 0; piece < x->a.n * x->b.n; piece++) {
			unsigned at = block * MX_BLOCK * MN;
			struct strip dot;
			block_dots(MN, x->a.value[piece / x->b.n] + at + row,
			           x->b.value[piece % x->b.n] + at + col, &dot);
			for (unsigned i = 0; i < 8; i++) {
				const float *sb = &x->sb[block][col + i % 2 * 8];
				__m512d scale =
					_mm512_mul_pd(_mm512_cvtps_pd(_mm256_loadu_ps(sb)),
				                      _mm512_set1_pd(x->sa[block][row + i / 2]));
				add_exactly(&sum->v[i / 2][i % 2], dot.v[i / 2][i % 2], scale,
				            &inexact[i / 2][i % 2]);
			}
		}
}

AVX512 static inline __m512 round_sum(const __m512d sum[2], __m512 acc) {
	__m512d low = add_to_odd(sum[0], _mm512_cvtps_pd(_mm512_castps512_ps256(acc)));
	__m512d high = add_to_odd(sum[1], _mm512_cvtps_pd(_mm512_extractf32x8_ps(acc, 1)));
	return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvt_roundpd_ps(low, NEAREST)),
	                          _mm512_cvt_roundpd_ps(high, NEAREST), 1);
}

/* Registers r to r + 3 of WIDE lanes; again[] gets the lanes that are not exact. */
AVX512 static void doubles_strip(const struct mx_mma_args *g, const struct doubles *x, unsigned r,
                                 unsigned lane, uint32_t (*d)[MX_LANES], uint64_t *again) {
	unsigned MN = mx_shape_mn(g->shape), blocks = mx_shape_k(g->shape) / MX_BLOCK, row, col;
	unsigned group = g->profile->group ? g->profile->group / MX_BLOCK : blocks;
	__mmask8 inexact[4][2] = { 0 };
	struct strip sum;
	__m512 acc[4];
	mx_place_result(g->shape, lane, r, &row, &col);
	for (unsigned i = 0; i < 4; i++)
		acc[i] = _mm512_loadu_ps(&g->c[r + i][lane]);
	for (unsigned first = 0; first < blocks; first += group) {
		unsigned end = blocks - first < group ? blocks : first + group;
		group_sums(x, MN, first, end, row, col, &sum, inexact);
		for (unsigned i = 0; i < 4; i++)
			acc[i] = round_sum(sum.v[i], acc[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		store_result(&d[r + i][lane], acc[i]);
		again[r + i] |= (uint64_t)(inexact[i][0] | inexact[i][1] << 8) << lane;
	}
}

/* Stores the exact results and computes the others by integers. D may be C, so the lanes of
 * inexact results are not written before that. */
AVX512 static void commit(const struct mx_mma_args *g, uint32_t (*d)[MX_LANES],
                          const uint64_t *again) {
	uint64_t any = 0;
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			__mmask16 good = ~(again[r] >> lane);
			_mm512_mask_storeu_epi32(&g->d[r][lane], good,
			                         _mm512_loadu_si512(&d[r][lane]));
			any |= again[r];
		}
	if (any)
		mx_mma_some_by_integers(g, again);
}

AVX512 static bool by_doubles(const struct mx_mma_args *g) {
	uint32_t d[MX_TILE_RESULTS][MX_LANES];
	uint64_t again[MX_TILE_RESULTS] = { 0 };
	bool cut = mx_width(g->fmt_a) + mx_width(g->fmt_b) + 5 > 53;
	struct doubles x;
	x.a.n = cut && g->fmt_a == MX_E5M2 ? 2 : 1;
	x.b.n = cut && g->fmt_b == MX_E5M2 ? 2 : 1;
	load_pieces(&x.a, g->shape, g->fmt_a, g->a);
	load_pieces(&x.b, g->shape, g->fmt_b, g->b);
	if (x.a.n * x.b.n == 4 && (x.a.infinite || x.b.infinite))
		return false;
	load_scales(g->shape, g->scale_a, x.sa);
	load_scales(g->shape, g->scale_b, x.sb);
	for (unsigned r = 0; r < mx_results(g->shape); r += 4)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
			doubles_strip(g, &x, r, lane, d, again);
	commit(g, d, again);
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
	return g->profile->group % MX_BLOCK == 0 && by_doubles(g);
}

#else

bool mx_mma_by_avx512(const struct mx_mma_args *g) {
	(void)g;
	return false;
}

#endif
