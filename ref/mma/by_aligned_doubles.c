/* Dots of factors by profiles that align products, in vectors of doubles, for CPUs with AVX-512.
 *
 * A factor has at most 16 significant bits (step.h), so a product is an exact double. To cut a
 * number to multiples of a unit, 1.5 * 2^52 units are added to it and taken away again. The sum has
 * no place for less than a unit, and its rounding is that of the cut. This needs a number below
 * 2^51 units, as all sums here are (step.h), which also makes them exact.
 *
 * Many steps have no product to cut, because their factors are not far apart (is_exact). Then FMAs
 * add the products.
 *
 * The plain dot computes the results with a NaN, an infinity, a product near the limit or an
 * overflow. */
#include "dense.h"
#include "tile.h"
#include "../num/cpu.h"
#include "../num/number.h"

#if defined(__x86_64__)
#include "avx512.h"
#include "kept.h"
#include "step.h"

#include <math.h>
#include <threads.h>

/* The exponent of a zero is at most NOTHING. That of a sum is at least LEAST, which is below that
 * of any number except zero, or above -OFFSET. ROWS rows and WIDE columns are computed together. */
enum { NOTHING = -5000, OFFSET = 1000, LEAST = -600, ROWS = 4, HALVES = WIDE / 8 };
enum { TO_ZERO = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };

/* ---- operands ---- */

/* Factors with their scales, [k][row or column]: multiples of 2^(top - man). */
struct operand {
	_Alignas(LINE) double value[MX_TILE_ELEMS];
	int16_t top[MX_TILE_ELEMS];
	uint64_t special; /* rows or columns with infinities and NaN, a bit each */
	int man;
};

_Static_assert(sizeof(struct operand) <= MX_KEPT_BYTES, "room for an operand");

/* The scales of an operand, [block][row or column]. */
struct scales {
	double value[MX_SCALES];
	int32_t top[MX_SCALES];
};

AVX512 INLINE void store_values(double *to, __m512d v, const double *scale) {
	_mm512_storeu_pd(to, scale ? _mm512_mul_pd(v, _mm512_loadu_pd(scale)) : v);
}

/* Elements of this type, v, of WIDE rows or columns; their scales are from `scale` on. */
AVX512 INLINE void load_elements(struct operand *x, const mx_profile *p,
                                 const struct mx_format_info *t, __m512 v, unsigned at, unsigned mn,
                                 const struct scales *s, unsigned scale) {
	const __m512 infinity = _mm512_set1_ps(INFINITY), none = _mm512_setzero_ps();
	const __m512i emin = _mm512_set1_epi32(1 - t->bias);
	__m512i exp = _mm512_cvtps_epi32(_mm512_getexp_ps(v));
	__mmask16 special = _mm512_cmp_ps_mask(_mm512_abs_ps(v), infinity, _CMP_NLT_UQ);
	__mmask16 zero = _mm512_cmp_ps_mask(v, none, _CMP_EQ_OQ);
	__mmask16 subnormal = _mm512_cmplt_epi32_mask(exp, emin);
	if (p->flush & MX_FLUSH_ELEMENTS) {
		zero |= subnormal;
		v = _mm512_mask_xor_ps(v, zero, v, _mm512_abs_ps(v)); /* keeps the sign */
	}
	if (!p->lead)
		exp = _mm512_mask_mov_epi32(exp, subnormal, emin);
	__m512i top = _mm512_mask_mov_epi32(exp, zero, _mm512_set1_epi32(NOTHING));
	if (s)
		top = _mm512_add_epi32(top, _mm512_loadu_si512(s->top + scale));
	x->special |= (uint64_t)special << mn;
	_mm256_storeu_si256((void *)(x->top + at), _mm512_cvtepi32_epi16(top));
	__m256 low = _mm512_castps512_ps256(v), high = _mm512_extractf32x8_ps(v, 1);
	store_values(x->value + at, _mm512_cvtps_pd(low), s ? s->value + scale : NULL);
	store_values(x->value + at + 8, _mm512_cvtps_pd(high), s ? s->value + scale + 8 : NULL);
}

/* ---- operands of scaled instructions ---- */

struct scale {
	double value;
	int top;
	bool special;
};
static struct scale scale_tables[MX_SCALE_FORMATS][256];

static double value_of(struct mx_term t) {
	return ldexp(t.negative ? -(double)t.sig : (double)t.sig, t.exp);
}

static void make_scale_tables(void) {
	for (mx_scale_format f = 0; f < MX_SCALE_FORMATS; f++)
		for (unsigned code = 0; code < 256; code++) {
			struct mx_term t = mx_term_of_scale(f, (uint8_t)code);
			scale_tables[f][code] =
				(struct scale){ value_of(t), mx_term_is_zero(t) ? NOTHING : t.top,
				                t.kind != MX_TERM_NUMBER };
		}
}

static const struct scale *scale_table(mx_scale_format f) {
	static once_flag made = ONCE_FLAG_INIT;
	call_once(&made, make_scale_tables);
	return scale_tables[f];
}

static void load_scales(struct operand *x, const struct side *o, struct scales *s) {
	const struct scale *table = scale_table(o->scales);
	unsigned MN = mx_mn(o->shape);
	for (unsigned i = 0; i < o->codes; i++) {
		const struct scale *scale = &table[o->scale[i]];
		s->value[i] = scale->value;
		s->top[i] = scale->top;
		x->special |= (uint64_t)scale->special << i % MN;
	}
}

AVX512 INLINE void load_scaled(struct operand *x, const mx_profile *p, const struct side *o,
                               unsigned bits) {
	const struct mx_format_info *t = mx_format_info(o->format);
	unsigned MN = mx_mn(o->shape), mn, k;
	struct scales s;
	x->man = (int)(t->man_bits + mx_scale_man_bits(o->scales));
	x->special = 0;
	load_scales(x, o, &s);
	for (unsigned lane = 0; lane < MX_LANES; lane += WIDE)
		for (unsigned j = 0; j < MX_BLOCK; j++) {
			mx_place_item(o->shape, bits, lane, j, &mn, &k);
			load_elements(x, p, t, values(t, codes(bits, o->regs, lane, j)),
			              k * MN + mn, mn, &s, k / o->block * MN + mn);
		}
}

AVX512 static void load_side(struct operand *x, const mx_profile *p, const struct side *o) {
	switch (mx_format_info(o->format)->bits) {
	case 4: load_scaled(x, p, o, 4); break;
	case 6: load_scaled(x, p, o, 6); break;
	default: load_scaled(x, p, o, 8);
	}
}

/* In `here`, if another profile would load it otherwise. NULL: no memory. */
AVX512 static const struct operand *operand_of(const struct mx_mma_args *g, mx_side side,
                                               struct operand *here) {
	struct side o = mx_side_of(g, side);
	if (g->profile->lead || g->profile->flush & MX_FLUSH_ELEMENTS) {
		load_side(here, g->profile, &o);
		return here;
	}
	struct mx_kept *k = mx_kept_operand(MX_KEPT_ALIGNED, side, &o);
	if (k && !k->loaded) {
		load_side((struct operand *)k->operand, g->profile, &o);
		k->loaded = true;
	}
	return k ? (const struct operand *)k->operand : NULL;
}

/* ---- operands of dense instructions ---- */

AVX512 INLINE __m512 dense_values(mx_type type, __m512i code) {
	switch (type) {
	case MX_T_BF16: return _mm512_castsi512_ps(_mm512_slli_epi32(code, 16));
	case MX_T_F16: return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(code));
	case MX_T_BF8: return values(mx_format_info(MX_E5M2), code);
	default: return values(mx_format_info(MX_E4M3), code);
	}
}

/* `width` rows or columns. A lane has `items`; `run` of them are consecutive in k, then the next
 * group of lanes has its turn. */
AVX512 INLINE void load_dense(struct operand *x, const mx_profile *p, mx_type type, unsigned lanes,
                              unsigned width, unsigned items, unsigned run,
                              const uint32_t (*regs)[MX_LANES]) {
	const struct mx_format_info *t = mx_type_info(type);
	unsigned bits = mx_type_bits(type);
	x->man = (int)t->man_bits;
	x->special = 0;
	for (unsigned lane = 0; lane < lanes; lane += WIDE)
		for (unsigned i = 0; i < items; i++) {
			unsigned k = i / run * run * (lanes / width) + lane / width * run + i % run;
			unsigned mn = lane % width;
			load_elements(x, p, t, dense_values(type, codes(bits, regs, lane, i)),
			              k * width + mn, mn, NULL, 0);
		}
}

AVX512 static void load_type(struct operand *x, const struct mx_products *g, mx_side side) {
	const uint32_t(*regs)[MX_LANES] = side ? g->b : g->a;
	mx_type type = side ? g->op->b : g->op->a;
	unsigned width = g->op->m * g->op->blocks, items = g->op->k * width / g->lanes;
	unsigned run = side ? g->run_b : g->run_a;
	switch (type) {
	case MX_T_BF16:
		load_dense(x, g->profile, MX_T_BF16, g->lanes, width, items, run, regs);
		break;
	case MX_T_F16:
		load_dense(x, g->profile, MX_T_F16, g->lanes, width, items, run, regs);
		break;
	default: load_dense(x, g->profile, type, g->lanes, width, items, run, regs);
	}
}

/* ---- operands of other instructions ---- */

static void load_terms(struct operand *x, unsigned MN, unsigned K, const struct mx_term *terms) {
	x->man = 0;
	x->special = 0;
	for (unsigned row = 0; row < MN; row++)
		for (unsigned k = 0; k < K; k++, terms++) {
			bool number = terms->kind == MX_TERM_NUMBER;
			x->special |= (uint64_t)!number << row;
			x->value[k * MN + row] = number ? value_of(*terms) : 0;
			x->top[k * MN + row] = number && terms->sig ? terms->top : NOTHING;
			x->man =
				terms->top - terms->exp > x->man ? terms->top - terms->exp : x->man;
		}
}

/* ---- a job ---- */

struct aligned {
	const mx_profile *profile;
	const struct operand *a, *b;
	unsigned K, width;    /* rows or columns, of all blocks */
	unsigned group, part; /* products of a step, of a part */
	/* The places of products: the order in which the profile adds them, those of a part
	 * together. */
	uint8_t k_of[MX_TILE_ELEMS / WIDE];
	/* The least exponents of the factors of a step, [step][row or column]. */
	int16_t low_a[MX_TILE_ELEMS], low_b[MX_TILE_ELEMS];
};

static void set_places(struct aligned *x) {
	const mx_profile *p = x->profile;
	for (unsigned place = 0; place < x->K; place++) {
		unsigned in_step = place % x->group, part = in_step / x->part;
		if (!p->split)
			in_step = in_step % x->part * p->parts + part;
		x->k_of[place] = mx_dot_product_at(p, x->K, place - place % x->group + in_step);
	}
}

/* As numbers without sign and with OFFSET, zeros are larger than other exponents. */
AVX512 static void set_lows(const struct aligned *x, const struct operand *of, int16_t *low) {
	const __m256i offset = _mm256_set1_epi16(OFFSET);
	for (unsigned first = 0; first < x->K; first += x->group)
		for (unsigned mn = 0; mn < x->width; mn += WIDE) {
			__m256i least = _mm256_set1_epi16(OFFSET - NOTHING);
			for (unsigned place = first; place < first + x->group; place++) {
				const int16_t *top = of->top + x->k_of[place] * x->width + mn;
				__m256i t = _mm256_loadu_si256((const void *)top);
				least = _mm256_min_epu16(least, _mm256_add_epi16(t, offset));
			}
			_mm256_storeu_si256((void *)(low + first / x->group * x->width + mn),
			                    _mm256_sub_epi16(least, offset));
		}
}

AVX512 static void set_steps(struct aligned *x) {
	const mx_profile *p = x->profile;
	x->group = p->group < x->K ? p->group : x->K;
	x->part = x->group / p->parts;
	set_places(x);
	set_lows(x, x->a, x->low_a);
	set_lows(x, x->b, x->low_b);
}

/* ---- sums of products ---- */

/* What does not change in the loops, so that each combination is compiled on its own. */
struct method {
	bool basic; /* the profile is one of gfx950 */
};

/* A number for each of WIDE columns. */
struct wide {
	__m512d half[HALVES];
};

/* ROWS rows from `row`, WIDE columns from `col`, both among those of all blocks, a step from place
 * `first`. */
struct at {
	unsigned row, col, first;
};

/* 1.5 * 2^52 units of 2^e. */
AVX512 INLINE __m512d large_of(__m256i e) {
	__m512i field = _mm512_add_epi64(_mm512_cvtepi32_epi64(e), _mm512_set1_epi64(1023 + 52));
	field = _mm512_slli_epi64(field, 52);
	return _mm512_castsi512_pd(_mm512_or_si512(field, _mm512_set1_epi64(INT64_C(1) << 51)));
}

AVX512 INLINE __m256i half_of(__m512i x, unsigned half) {
	return half ? _mm512_extracti32x8_epi32(x, 1) : _mm512_castsi512_si256(x);
}

AVX512 INLINE __m512d floor_to(__m512d x, __m512d large) {
	return _mm512_sub_pd(_mm512_add_round_pd(x, large, DOWN), large);
}

/* a * b, cut to the unit. */
AVX512 INLINE __m512d cut_product(__m512d a, __m512d b, __m512d large, unsigned cut) {
	__m512d sign = _mm512_set1_pd(-0.0);
	switch (cut) {
	case MX_CUT_FLOOR: return _mm512_sub_pd(_mm512_fmadd_round_pd(a, b, large, DOWN), large);
	case MX_CUT_NEAREST:
		return _mm512_sub_pd(_mm512_fmadd_round_pd(a, b, large, NEAREST), large);
	case MX_CUT_ODD:
		return _mm512_sub_pd(to_odd_of(_mm512_fmadd_round_pd(a, b, large, DOWN),
		                               _mm512_fmadd_round_pd(a, b, large, UP)),
		                     large);
	}
	/* Toward zero, with the sign of the product. */
	large = _mm512_or_pd(large, _mm512_and_pd(_mm512_xor_pd(a, b), sign));
	return _mm512_sub_pd(_mm512_fmadd_round_pd(a, b, large, TO_ZERO), large);
}

AVX512 INLINE __m512d factor_a(const struct aligned *x, unsigned k, unsigned row) {
	return _mm512_set1_pd(x->a->value[k * x->width + row]);
}

AVX512 INLINE __m512d factors_b(const struct aligned *x, unsigned k, unsigned col, unsigned half) {
	return _mm512_loadu_pd(x->b->value + k * x->width + col + 8 * half);
}

/* The largest exponents of places first to end - 1. */
AVX512 INLINE void find_tops(const struct aligned *x, struct at at, unsigned first, unsigned end,
                             __m256i top[ROWS]) {
	for (unsigned i = 0; i < ROWS; i++)
		top[i] = _mm256_set1_epi16(LEAST);
	for (unsigned place = first; place < end; place++) {
		unsigned line = x->k_of[place] * x->width;
		const int16_t *a = x->a->top + line + at.row;
		__m256i b = _mm256_loadu_si256((const void *)(x->b->top + line + at.col));
#pragma GCC unroll 4
		for (unsigned i = 0; i < ROWS; i++)
			top[i] = _mm256_max_epi16(top[i],
			                          _mm256_add_epi16(_mm256_set1_epi16(a[i]), b));
	}
}

/* The products of a step of which none is cut. */
AVX512 INLINE void sum_exactly(const struct aligned *x, struct at at, struct wide sum[ROWS]) {
	for (unsigned i = 0; i < ROWS; i++)
		sum[i] = (struct wide){ { _mm512_setzero_pd(), _mm512_setzero_pd() } };
	for (unsigned place = at.first; place < at.first + x->group; place++) {
		unsigned k = x->k_of[place];
		__m512d b[HALVES] = { factors_b(x, k, at.col, 0), factors_b(x, k, at.col, 1) };
#pragma GCC unroll 4
		for (unsigned i = 0; i < ROWS; i++) {
			__m512d a = factor_a(x, k, at.row + i);
			for (unsigned h = 0; h < HALVES; h++)
				sum[i].half[h] = _mm512_fmadd_pd(a, b[h], sum[i].half[h]);
		}
	}
}

/* The products of one row and places first to end - 1, each cut to units of 2^unit. */
AVX512 INLINE struct wide sum_cut(const struct aligned *x, unsigned row, unsigned col,
                                  unsigned first, unsigned end, __m512i unit, unsigned cut) {
	struct wide sum = { { _mm512_setzero_pd(), _mm512_setzero_pd() } }, large;
	for (unsigned h = 0; h < HALVES; h++)
		large.half[h] = large_of(half_of(unit, h));
	for (unsigned place = first; place < end; place++) {
		unsigned k = x->k_of[place];
		__m512d a = factor_a(x, k, row);
		for (unsigned h = 0; h < HALVES; h++) {
			__m512d term = cut_product(a, factors_b(x, k, col, h), large.half[h], cut);
			sum.half[h] = _mm512_add_pd(sum.half[h], term);
		}
	}
	return sum;
}

/* The same of all parts, whose exponents are tops[part]; their sums are floored to 2^unit. */
AVX512 INLINE struct wide sum_parts(const struct aligned *x, unsigned row, struct at at,
                                    const __m512i tops[MX_PARTS], __m512i unit, unsigned cut) {
	const mx_profile *p = x->profile;
	struct wide sum = { { _mm512_setzero_pd(), _mm512_setzero_pd() } };
	for (unsigned i = 0; i < p->parts; i++) {
		unsigned first = at.first + i * x->part;
		__m512i of_part = _mm512_sub_epi32(tops[i], _mm512_set1_epi32((int)p->align));
		struct wide part = sum_cut(x, row, at.col, first, first + x->part, of_part, cut);
		for (unsigned h = 0; h < HALVES; h++)
			sum.half[h] = _mm512_add_pd(
				sum.half[h], floor_to(part.half[h], large_of(half_of(unit, h))));
	}
	return sum;
}

/* ---- a step of one row ---- */

struct accumulator {
	__m512 value;
	__m512i top;
	__mmask16 any, special; /* not zero; infinite or NaN */
};

AVX512 INLINE struct accumulator accumulator_of(const mx_profile *p, __m512i bits) {
	const __m512i magnitude = _mm512_set1_epi32(INT32_MAX), one = _mm512_set1_epi32(1);
	__m512i field = _mm512_srli_epi32(_mm512_and_si512(bits, magnitude), MX_F32_MAN);
	__mmask16 subnormal = _mm512_testn_epi32_mask(field, field);
	if (p->flush & MX_FLUSH_C)
		bits = _mm512_mask_andnot_epi32(bits, subnormal, magnitude, bits);
	return (struct accumulator){
		.value = _mm512_castsi512_ps(bits),
		.top = _mm512_sub_epi32(_mm512_max_epi32(field, one), _mm512_set1_epi32(127)),
		.any = _mm512_test_epi32_mask(bits, magnitude),
		.special = _mm512_cmpeq_epi32_mask(field, _mm512_set1_epi32(255)),
	};
}

AVX512 INLINE __m512d half_of_c(const struct accumulator *c, unsigned half) {
	return _mm512_cvtps_pd(half ? _mm512_extractf32x8_ps(c->value, 1)
	                            : _mm512_castps512_ps256(c->value));
}

/* The largest exponent of the products and C. */
AVX512 INLINE __m512i largest(__m512i top, const struct accumulator *c) {
	return _mm512_mask_max_epi32(top, c->any, top, c->top);
}

/* x without the bits more than `bits` below its leading one, floored. Integers below 2^50 units
 * have no more. */
AVX512 INLINE __m512d floor_to_bits(__m512d x, unsigned bits) {
	__m512d e = _mm512_sub_pd(_mm512_getexp_pd(x), _mm512_set1_pd(bits));
	return bits < 50 ? floor_to(x, _mm512_scalef_pd(_mm512_set1_pd(0x1.8p52), e)) : x;
}

/* The sum of products plus C, each floored to its bits below the largest exponent. */
AVX512 INLINE struct wide add_apart(const mx_profile *p, struct wide sum, struct accumulator c,
                                    __m512i most) {
	if (p->drop) {
		__m512i least = _mm512_sub_epi32(most, _mm512_set1_epi32((int)p->drop));
		__mmask16 keep = _mm512_cmpge_epi32_mask(c.top, least);
		c.value = _mm512_maskz_mov_ps(keep, c.value);
	}
	const __m512d dot = _mm512_set1_pd(ldexp(1, -(int)p->dot));
	const __m512d acc = _mm512_set1_pd(ldexp(1, -(int)p->acc));
	for (unsigned h = 0; h < HALVES; h++) {
		__m512d large = large_of(half_of(most, h)), *x = &sum.half[h];
		*x = floor_to(*x, _mm512_mul_pd(large, dot));
		*x = _mm512_add_pd(*x, floor_to(half_of_c(&c, h), _mm512_mul_pd(large, acc)));
		if (p->norm)
			*x = floor_to_bits(*x, p->norm);
	}
	return sum;
}

/* The sum of products plus C, which is cut like them. */
AVX512 INLINE struct wide add_fused(const mx_profile *p, struct wide sum, struct accumulator c,
                                    __m512i unit) {
	for (unsigned h = 0; h < HALVES; h++) {
		__m512d term = cut_product(half_of_c(&c, h), _mm512_set1_pd(1),
		                           large_of(half_of(unit, h)), p->cut);
		sum.half[h] = _mm512_add_pd(sum.half[h], term);
		if (p->norm)
			sum.half[h] = floor_to_bits(sum.half[h], p->norm);
	}
	return sum;
}

/* The magnitude of a variation's result: x with `rest` fewer bits, as it rounds. */
AVX512 INLINE __m256i round_variation(const mx_profile *p, __m512d x, __m256i nearest) {
	unsigned rest = p->bits ? MX_F32_MAN - p->bits : 0;
	__m256i magnitude = nearest, kept = _mm256_set1_epi32(-(1 << rest));
	__m256 cut = _mm512_cvt_roundpd_ps(_mm512_abs_pd(x), TO_ZERO);
	if (p->round) {
		magnitude = _mm256_and_si256(_mm256_castps_si256(cut), kept);
	} else if (rest) {
		/* Bits below the half and the last one decide a tie. */
		__mmask8 inexact =
			_mm512_cmp_pd_mask(_mm512_cvtps_pd(cut), _mm512_abs_pd(x), _CMP_NEQ_OQ);
		__m256i one = _mm256_set1_epi32(1), bits = _mm256_castps_si256(cut);
		__m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, rest), one);
		odd = _mm256_mask_mov_epi32(odd, inexact, one);
		__m256i up = _mm256_add_epi32(_mm256_set1_epi32((1 << (rest - 1)) - 1), odd);
		magnitude = _mm256_and_si256(_mm256_add_epi32(bits, up), kept);
	}
	if (p->flush & MX_FLUSH_RESULTS) {
		__m256i normal = _mm256_set1_epi32(1 << MX_F32_MAN);
		magnitude = _mm256_maskz_mov_epi32(_mm256_cmpge_epi32_mask(magnitude, normal),
		                                   magnitude);
	}
	return magnitude;
}

/* x, rounded once. *bad gets the columns that overflow. */
AVX512 INLINE __m512i round_wide(const mx_profile *p, struct method m, struct wide x,
                                 __mmask16 *bad) {
	const __m256i magnitudes = _mm256_set1_epi32(INT32_MAX);
	const __m256i infinity = _mm256_set1_epi32((int)MX_F32_INF);
	__m256i half[HALVES];
	for (unsigned h = 0; h < HALVES; h++) {
		half[h] = _mm256_castps_si256(_mm512_cvt_roundpd_ps(x.half[h], NEAREST));
		__m256i size = _mm256_and_si256(half[h], magnitudes);
		__mmask8 over = _mm256_cmpge_epi32_mask(size, infinity);
		if (!m.basic) {
			size = round_variation(p, x.half[h], size);
			over |= _mm256_cmpge_epi32_mask(size, infinity);
			__m256i sign = _mm256_andnot_si256(magnitudes, half[h]);
			if (p->zero == 2)
				sign = _mm256_maskz_mov_epi32(_mm256_test_epi32_mask(size, size),
				                              sign);
			half[h] = _mm256_or_si256(size, sign);
		}
		*bad |= (__mmask16)(over << 8 * h);
	}
	return _mm512_inserti32x8(_mm512_castsi256_si512(half[0]), half[1], 1);
}

/* The columns in which all products of a step are -0. */
AVX512 static __mmask16 all_minus_zero(const struct aligned *x, unsigned row, unsigned col,
                                       unsigned first) {
	const __m512i minus_zero = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
	__mmask16 all = 0xFFFF;
	for (unsigned place = first; place < first + x->group; place++)
		for (unsigned h = 0; h < HALVES; h++) {
			unsigned k = x->k_of[place];
			__m512d product =
				_mm512_mul_pd(factor_a(x, k, row), factors_b(x, k, col, h));
			__mmask8 is =
				_mm512_cmpeq_epi64_mask(_mm512_castpd_si512(product), minus_zero);
			all &= (__mmask16)(is << 8 * h | 0xFF << 8 * (1 - h));
		}
	return all;
}

/* ---- a step of ROWS rows ---- */

struct step {
	struct accumulator c[ROWS];
	__m512i tops[ROWS][MX_PARTS], top[ROWS]; /* of parts, of all products */
	__m512i most[ROWS];                      /* with C */
	struct wide sum[ROWS];
};

AVX512 INLINE void find_exponents(const struct aligned *x, struct method m, struct at at,
                                  struct step *s) {
	const mx_profile *p = x->profile;
	int least = !m.basic && p->low ? -(int)p->low : LEAST;
	for (unsigned i = 0; i < ROWS; i++)
		s->top[i] = _mm512_set1_epi32(least);
	for (unsigned part = 0; part < p->parts; part++) {
		unsigned first = at.first + part * x->part;
		__m256i top[ROWS];
		find_tops(x, at, first, first + x->part, top);
		for (unsigned i = 0; i < ROWS; i++) {
			s->tops[i][part] = _mm512_max_epi32(_mm512_cvtepi16_epi32(top[i]),
			                                    _mm512_set1_epi32(least));
			s->top[i] = _mm512_max_epi32(s->top[i], s->tops[i][part]);
		}
	}
	for (unsigned i = 0; i < ROWS; i++)
		s->most[i] = largest(s->top[i], &s->c[i]);
}

/* Whether all products of the row are multiples of units of 2^unit. */
AVX512 INLINE bool is_exact(const struct aligned *x, unsigned row, struct at at, __m512i unit) {
	unsigned step = at.first / x->group * x->width;
	const int16_t *b = x->low_b + step + at.col;
	__m512i low = _mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)b));
	low = _mm512_add_epi32(low,
	                       _mm512_set1_epi32(x->low_a[step + row] - x->a->man - x->b->man));
	return !_mm512_cmplt_epi32_mask(low, unit);
}

/* Units of 2^(top - bits). */
AVX512 INLINE __m512i unit_of(__m512i top, unsigned bits) {
	return _mm512_sub_epi32(top, _mm512_set1_epi32((int)bits));
}

AVX512 INLINE void sum_products(const struct aligned *x, struct method m, struct at at,
                                struct step *s) {
	const mx_profile *p = x->profile;
	bool fused = !m.basic && p->fused, exact = true;
	unsigned joined = p->parts == 1 ? p->align : p->join;
	unsigned bits = p->align < joined ? p->align : joined;
	for (unsigned i = 0; i < ROWS && exact; i++)
		exact = is_exact(x, at.row + i, at, unit_of(fused ? s->most[i] : s->top[i], bits));
	if (exact) {
		sum_exactly(x, at, s->sum);
		return;
	}
	for (unsigned i = 0; i < ROWS; i++) {
		__m512i unit = unit_of(fused ? s->most[i] : s->top[i], joined);
		s->sum[i] = fused ? sum_cut(x, at.row + i, at.col, at.first, at.first + x->group,
		                            unit, p->cut)
		                  : sum_parts(x, at.row + i, at, s->tops[i], unit,
		                              m.basic ? MX_CUT_ZERO : p->cut);
	}
}

/* A step of the accumulators; bad[row] gets the columns that the plain dot must compute. */
AVX512 INLINE void step(const struct aligned *x, struct method m, struct at at, __m512i acc[ROWS],
                        __mmask16 bad[ROWS]) {
	const mx_profile *p = x->profile;
	/* Four factors below 2 are below 2^4. */
	const __m512i limit = _mm512_set1_epi32((p->limit ? (int)p->limit : 1000) - 4);
	struct step s;
	for (unsigned i = 0; i < ROWS; i++)
		s.c[i] = accumulator_of(p, acc[i]);
	find_exponents(x, m, at, &s);
	sum_products(x, m, at, &s);
	for (unsigned i = 0; i < ROWS; i++) {
		__mmask16 minus = _mm512_movepi32_mask(acc[i]) & ~s.c[i].any;
		struct wide sum = !m.basic && p->fused ? add_fused(p, s.sum[i], s.c[i],
		                                                   unit_of(s.most[i], p->align))
		                                       : add_apart(p, s.sum[i], s.c[i], s.most[i]);
		bad[i] |= s.c[i].special | _mm512_cmpge_epi32_mask(s.top[i], limit);
		acc[i] = round_wide(p, m, sum, &bad[i]);
		minus &= _mm512_testn_epi32_mask(acc[i], _mm512_set1_epi32(INT32_MAX));
		if (minus && !p->zero) {
			minus &= all_minus_zero(x, at.row + i, at.col, at.first);
			acc[i] = _mm512_mask_mov_epi32(acc[i], minus, _mm512_set1_epi32(INT32_MIN));
		}
	}
}

/* C after the last step: the sum rounded to odd, and then as the profile says. */
AVX512 INLINE __m512i add_late(const mx_profile *p, __m512i sum, __m512i bits, __mmask16 *bad) {
	const __m512d zero = _mm512_setzero_pd();
	struct accumulator c = accumulator_of(p, bits), x = { .value = _mm512_castsi512_ps(sum) };
	mx_profile last = *p;
	struct wide total;
	last.round = p->late == MX_LATE_NEAREST ? 0 : p->round;
	for (unsigned h = 0; h < HALVES; h++) {
		__m512d a = half_of_c(&x, h), b = half_of_c(&c, h);
		total.half[h] =
			to_odd_of(_mm512_add_round_pd(a, b, DOWN), _mm512_add_round_pd(a, b, UP));
		if (p->zero)
			total.half[h] = _mm512_add_pd(total.half[h], zero); /* -0 becomes +0 */
	}
	return round_wide(&last, (struct method){ false }, total, bad);
}

/* ---- all results ---- */

AVX512 INLINE void run_steps(const struct aligned *x, struct method m, struct at at,
                             __m512i acc[ROWS], __mmask16 bad[ROWS]) {
	for (; at.first < x->K; at.first += x->group)
		step(x, m, at, acc, bad);
}

/* All steps; bad[row] gets the columns that the plain dot must compute. */
AVX512 static void run(const struct aligned *x, unsigned row, unsigned col, __m512i acc[ROWS],
                       __mmask16 bad[ROWS]) {
	const mx_profile *p = x->profile;
	struct at at = { row, col, 0 };
	__m512i c[ROWS];
	for (unsigned i = 0; i < ROWS; i++) {
		c[i] = acc[i];
		acc[i] = p->late ? _mm512_set1_epi32(INT32_MIN) : c[i];
		bad[i] = (__mmask16)(x->b->special >> col);
		bad[i] |= (__mmask16) - (x->a->special >> (row + i) & 1);
	}
	if (mx_profile_is_basic(p))
		run_steps(x, (struct method){ true }, at, acc, bad);
	else
		run_steps(x, (struct method){ false }, at, acc, bad);
	for (unsigned i = 0; p->late && i < ROWS; i++)
		acc[i] = add_late(p, acc[i], c[i], &bad[i]);
}

/* Results in registers: ROWS registers of WIDE lanes have ROWS rows of WIDE columns. */
struct registers {
	const uint32_t (*c)[MX_LANES];
	uint32_t (*d)[MX_LANES];
	uint64_t *again; /* of each register */
	unsigned m, items, lanes;
};

static void place_of(const struct registers *r, unsigned lane, unsigned item, unsigned *row,
                     unsigned *col) {
	unsigned block = 0;
	if (r->lanes == MX_WAVE32)
		mx_place_wmma_result(lane, item, row, col);
	else
		mx_place_dense_result(r->m, ROWS, lane, item, &block, row, col);
	*row += block * r->m;
	*col += block * r->m;
}

/* Lanes that the plain dot must compute keep what D has, because it may be C. */
AVX512 static void run_registers(struct aligned *x, const struct registers *r) {
	unsigned row, col;
	set_steps(x);
	for (unsigned item = 0; item < r->items; item += ROWS)
		for (unsigned lane = 0; lane < r->lanes; lane += WIDE) {
			__m512i acc[ROWS];
			__mmask16 bad[ROWS];
			place_of(r, lane, item, &row, &col);
			for (unsigned i = 0; i < ROWS; i++)
				acc[i] = _mm512_loadu_si512(&r->c[item + i][lane]);
			run(x, row, col, acc, bad);
			for (unsigned i = 0; i < ROWS; i++) {
				_mm512_mask_storeu_epi32(&r->d[item + i][lane], ~bad[i], acc[i]);
				r->again[item + i] |= (uint64_t)bad[i] << lane;
			}
		}
}

static bool applies(const mx_profile *p, unsigned m, unsigned K) {
	return mx_aligns_in_vectors(p, m, K) && mx_cpu_has(MX_CPU_VBMI);
}

bool mx_mma_by_aligned_doubles(const struct mx_mma_args *g) {
	unsigned MN = mx_mn(g->shape), K = mx_shape_k(g->shape);
	struct operand a, b;
	uint64_t again[MX_TILE_RESULTS] = { 0 };
	if (!applies(g->profile, MN, K))
		return false;
	struct aligned x = { .profile = g->profile,
		             .a = operand_of(g, MX_SIDE_A, &a),
		             .b = operand_of(g, MX_SIDE_B, &b),
		             .K = K,
		             .width = MN };
	if (!x.a || !x.b)
		return false;
	run_registers(&x,
	              &(struct registers){ g->c, g->d, again, MN, mx_results(g->shape), MX_LANES });
	mx_mma_some_plain(g, again);
	return true;
}

bool mx_products_by_aligned_doubles(const struct mx_products *g, uint64_t again[MX_DENSE_RESULTS]) {
	const struct mx_dense *op = g->op;
	struct operand a, b;
	bool floats =
		op->a == MX_T_F16 || op->a == MX_T_BF16 || op->a == MX_T_FP8 || op->a == MX_T_BF8;
	if (!floats || g->k_of_b || !applies(g->profile, op->m, op->k))
		return false;
	load_type(&a, g, MX_SIDE_A);
	load_type(&b, g, MX_SIDE_B);
	struct aligned x = {
		.profile = g->profile, .a = &a, .b = &b, .K = op->k, .width = op->m * op->blocks
	};
	unsigned items = op->m * x.width / g->lanes;
	run_registers(&x, &(struct registers){ g->c, g->d, again, op->m, items, g->lanes });
	return true;
}

AVX512 static void run_terms(struct aligned *x, const mx_tile_results c, mx_tile_results d,
                             uint32_t again[MX_TILE_MN]) {
	set_steps(x);
	memset(again, 0, x->width * sizeof *again);
	for (unsigned row = 0; row < x->width; row += ROWS)
		for (unsigned col = 0; col < x->width; col += WIDE) {
			__m512i acc[ROWS];
			__mmask16 bad[ROWS];
			for (unsigned i = 0; i < ROWS; i++)
				acc[i] = _mm512_loadu_si512(c[row + i] + col);
			run(x, row, col, acc, bad);
			for (unsigned i = 0; i < ROWS; i++) {
				_mm512_storeu_si512(d[row + i] + col, acc[i]);
				again[row + i] |= (uint32_t)bad[i] << col;
			}
		}
}

bool mx_factors_by_aligned_doubles(const struct mx_factors *g, const mx_tile_results c,
                                   mx_tile_results d, uint32_t again[MX_TILE_MN]) {
	struct operand a, b;
	if (!applies(g->profile, g->MN, g->K))
		return false;
	load_terms(&a, g->MN, g->K, g->a);
	load_terms(&b, g->MN, g->K, g->b);
	struct aligned x = { .profile = g->profile, .a = &a, .b = &b, .K = g->K, .width = g->MN };
	run_terms(&x, c, d, again);
	return true;
}

#else

bool mx_mma_by_aligned_doubles(const struct mx_mma_args *g) {
	(void)g;
	return false;
}

bool mx_products_by_aligned_doubles(const struct mx_products *g, uint64_t again[MX_DENSE_RESULTS]) {
	(void)g, (void)again;
	return false;
}

bool mx_factors_by_aligned_doubles(const struct mx_factors *g, const mx_tile_results c,
                                   mx_tile_results d, uint32_t again[MX_TILE_MN]) {
	(void)g, (void)c, (void)d, (void)again;
	return false;
}

#endif
