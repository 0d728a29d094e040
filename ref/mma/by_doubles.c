/* The dense and sparse MFMAs and the dense WMMAs of integers and of floats up to 32 bits in vectors
 * of doubles, for profiles of exact sums.
 *
 * Factors have at most 24 significant bits, so each product is an exact double between 2^-298 and
 * 2^256. All nonzero factors of a row are multiples of 2^-(man + 1) times the least of them. If
 * the largest factors are not too large beside the least ones (sums_are_exact), all sums of
 * products are exact, too. That holds for all integers and for most floats.
 *
 * Else the sum of a step is a double and the sum of the errors of its additions [Knuth, TAOCP
 * 4.2.2, theorem B]. Sum, errors and accumulator are added to a double and its error. Rounded to
 * odd, that double rounds to the same f32 as the exact sum [Boldo and Melquiond, Emulation of FMA,
 * 2008]; of the error only the sign matters. It is certain if no addition had an error. Else it is
 * if the error is larger than what the additions of errors can have lost:
 *
 *   64 products below `size` have sums below 2^6 size, with errors up to 2^-47 size; 64 of these
 *   have sums below 2^-41 size. These are exact if the factors are not too far apart, by 2^47 more
 *   than above. Else each has an error up to 2^-94 size, 2^-88 size together. The addition of the
 *   accumulator's error has an error that is known.
 *
 * A WMMA has up to 128 products. With n = 7 for 6, these are 2^n products, errors up to 2^(n-53)
 * size, sums of them below 2^(2n-53) size, and errors of these up to 2^(2n-106) size.
 *
 * The plain version computes the results that are not certain.
 *
 * Infinity, NaN and the sign of zero follow IEEE addition and multiplication. Sums start at -0,
 * because +0 would change the sign of a sum of -0s. */
#include "dense.h"
#include "tile.h"
#include "values.h"
#include "../num/cpu.h"

#include <math.h>

enum { MAX_VALUES = 2048, STRIPS = MX_LANES / STRIP, ROWS = 4 };

/* Signed comparisons are the cheaper ones. */
typedef VECTOR(int32_t) ints;

/* What does not change in the loops, so that each combination is compiled on its own. */
struct kind {
	unsigned m, lanes;
	bool integer; /* C and D are integers */
	bool single;  /* each product is a step */
};

/* ---- operands ---- */

struct factors {
	_Alignas(64) double value[MAX_VALUES]; /* [k][block * M + row or column] */
	/* The largest finite magnitude and the least other than 0 of STRIP rows or columns. */
	double size[STRIPS], least[STRIPS];
};

struct operands {
	struct factors a, b;
	unsigned width;   /* values of one k */
	double room;      /* see sums_are_exact */
	double far, lost; /* see doubt_of */
};

/* The fields of an f16 at their places in a float are 2^-112 of it. */
INLINE words half_values(words code) {
	words magnitude = code & 0x7FFF, special = (words)((ints)magnitude >= 0x7C00);
	floats x = (floats)(magnitude << (MX_F32_MAN - MX_F16_MAN)) * 0x1p112f;
	return (words)x | (special & MX_F32_INF) | (code << 16 & MX_F32_SIGN);
}

/* The bits of floats with the values of codes. */
INLINE words floats_of(mx_type t, words code) {
	switch (t) {
	case MX_T_F32: return code;
	case MX_T_BF16: return code << 16;
	case MX_T_F16: return half_values(code);
	case MX_T_FP8: return (words)strip_values(mx_format_info(MX_E4M3), code);
	case MX_T_BF8: return (words)strip_values(mx_format_info(MX_E5M2), code);
	case MX_T_U4:
	case MX_T_U8: return (words) __builtin_convertvector((ints)code, floats);
	case MX_T_I4: return (words) __builtin_convertvector((ints)(code << 28) >> 28, floats);
	default: /* I8 */ return (words) __builtin_convertvector((ints)(code << 24) >> 24, floats);
	}
}

INLINE bool is_integer(mx_type t) {
	return t == MX_T_I8 || t == MX_T_U8 || t == MX_T_I4 || t == MX_T_U4;
}

/* Bits of a fraction. */
static unsigned man_of(mx_type t) {
	switch (t) {
	case MX_T_F16: return MX_F16_MAN;
	case MX_T_BF16: return MX_BF16_MAN;
	case MX_T_FP8: return mx_format_info(MX_E4M3)->man_bits;
	case MX_T_BF8: return mx_format_info(MX_E5M2)->man_bits;
	default: return MX_F32_MAN;
	}
}

INLINE doubles load_doubles(const double *from) {
	doubles x;
	memcpy(&x, from, sizeof x);
	return x;
}

INLINE doubles choose(longs mask, doubles yes, doubles no) {
	return (doubles)(((longs)yes & mask) | ((longs)no & ~mask));
}

INLINE ints larger(ints x, ints y) {
	ints less = x < y;
	return (y & less) | (x & ~less);
}

/* Element i is the largest of v[i]. */
INLINE ints largest_of_each(ints v[STRIP]) {
	for (unsigned n = STRIP / 2; n; n /= 2)
		for (unsigned i = 0; i < n; i++) {
			ints x = v[2 * i], y = v[2 * i + 1];
			v[i] = larger(__builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14),
			              __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15));
		}
	return v[0];
}

/* Magnitudes of strips as bits of floats, for each lane: the largest finite one, and the largest
 * distance of any but 0 from 2^31, which the least one has. */
struct range {
	ints size[STRIPS], distance[STRIPS];
};

INLINE ints distance_of(ints magnitude) {
	return -magnitude & INT32_MAX;
}

INLINE void note_range(struct range *r, unsigned strip, words x) {
	ints m = (ints)(x & ~MX_F32_SIGN), finite = m < (int)MX_F32_INF;
	r->size[strip] = larger(r->size[strip], m & finite);
	r->distance[strip] = larger(r->distance[strip], distance_of(m));
}

INLINE void set_range(struct factors *f, struct range *r) {
	doubles size = __builtin_convertvector((floats)largest_of_each(r->size), doubles);
	ints least = distance_of(largest_of_each(r->distance));
	memcpy(f->size, &size, sizeof size);
	size = __builtin_convertvector((floats)least, doubles);
	memcpy(f->least, &size, sizeof size);
}

/* Whether sums of products are exact only if the factors are in some range. */
INLINE bool needs_range(mx_type t) {
	return !is_integer(t) && t != MX_T_F32;
}

/* The items of a register of STRIP lanes, which are consecutive in k. */
INLINE void load_register(struct factors *f, unsigned width, mx_type t, unsigned mn, unsigned k,
                          const uint32_t *reg, struct range *range) {
	unsigned bits = mx_type_bits(t);
	words codes;
	memcpy(&codes, reg, sizeof codes);
	for (unsigned at = 0; at < 32; at += bits, k++) {
		words x = floats_of(t, codes >> at & UINT32_MAX >> (32 - bits));
		doubles value = __builtin_convertvector((floats)x, doubles);
		memcpy(f->value + k * width + mn, &value, sizeof value);
		if (needs_range(t))
			note_range(range, mn / STRIP, x);
	}
}

/* Where an operand has its items. `run` items of a lane, whole registers, are consecutive in k;
 * then the next lane group has its turn. There are lanes / width groups. */
struct layout {
	unsigned lanes, width, items, run;
};

INLINE void load_as(struct factors *f, struct layout at, mx_type t,
                    const uint32_t (*regs)[MX_LANES]) {
	unsigned in_register = 32 / mx_type_bits(t), shift = __builtin_ctz(at.width);
	unsigned groups = __builtin_ctz(at.lanes) - shift; /* log2 */
	struct range range;
	for (unsigned i = 0; i < STRIPS; i++) {
		range.size[i] = (ints){ 0 };
		range.distance[i] = distance_of(range.size[i] + (int)MX_F32_INF);
	}
	for (unsigned lane = 0; lane < at.lanes; lane += STRIP)
		for (unsigned first = 0; first < at.items; first += at.run) {
			unsigned k = (first << groups) + (lane >> shift) * at.run;
			for (unsigned i = 0; i < at.run; i += in_register)
				load_register(f, at.width, t, lane & (at.width - 1), k + i,
				              &regs[(first + i) / in_register][lane], &range);
		}
	if (needs_range(t))
		set_range(f, &range);
}

/* Compiled for each type on its own. */
INLINE void load(struct factors *f, struct layout at, mx_type t, const uint32_t (*regs)[MX_LANES]) {
	switch (t) {
	case MX_T_F32: load_as(f, at, MX_T_F32, regs); break;
	case MX_T_F16: load_as(f, at, MX_T_F16, regs); break;
	case MX_T_BF16: load_as(f, at, MX_T_BF16, regs); break;
	case MX_T_FP8: load_as(f, at, MX_T_FP8, regs); break;
	case MX_T_BF8: load_as(f, at, MX_T_BF8, regs); break;
	case MX_T_U8: load_as(f, at, MX_T_U8, regs); break;
	case MX_T_U4: load_as(f, at, MX_T_U4, regs); break;
	case MX_T_I4: load_as(f, at, MX_T_I4, regs); break;
	default: load_as(f, at, MX_T_I8, regs);
	}
}

/* A bound of products of two strips. */
INLINE double size_of(const struct operands *x, unsigned a, unsigned b) {
	return x->a.size[a] * x->b.size[b];
}

/* Whether sums up to 2^sums size are at most 2^53 units, of which products are multiples: units are
 * above 2^-(man + 1) least. */
INLINE bool sums_are_exact(const struct operands *x, unsigned a, unsigned b, double size) {
	return size <= x->a.least[a] * x->b.least[b] * x->room;
}

/* The most that the sum of errors can have lost. */
INLINE double doubt_of(const struct operands *x, unsigned a, unsigned b) {
	double size = size_of(x, a, b);
	return sums_are_exact(x, a, b, size * x->far) ? 0 : size * x->lost;
}

static void set_bounds(struct operands *x, const struct mx_dense *op) {
	int sums = op->k > 64 ? 7 : 6, man = (int)(man_of(op->a) + man_of(op->b));
	x->room = ldexp(1, 53 - sums - 2 - man);
	x->far = ldexp(1, sums - 53);
	x->lost = ldexp(1, 3 * sums - 105);
}

/* ---- a step ---- */

struct sum {
	doubles value, error;
	longs errors; /* all bits of all errors */
};

INLINE void add(struct sum *s, doubles x) {
	doubles t = s->value + x, part = t - s->value;
	doubles error = (s->value - (t - part)) + (x - part);
	s->error += error;
	s->errors |= (longs)error;
	s->value = t;
}

/* The f32 nearest to x plus an error of this sign and less than its last place; NaN is no error. */
INLINE floats round_to_odd(doubles x, doubles error) {
	return __builtin_convertvector(to_odd(x, error), floats);
}

INLINE floats round_exact(doubles sum, floats acc) {
	struct sum all = { sum };
	add(&all, __builtin_convertvector(acc, doubles));
	return round_to_odd(all.value, all.error);
}

/* *again gets the lanes that are not certain. */
INLINE floats round_sum(const struct sum *s, floats acc, double doubt, longs *again) {
	struct sum with_c = { s->value }, errors = { s->error }, all;
	add(&with_c, __builtin_convertvector(acc, doubles));
	add(&errors, with_c.error);
	all = (struct sum){ with_c.value };
	add(&all, errors.value);
	/* +0 would change the sign of -0, and infinities have NaN as error. */
	longs finite = below(magnitude(with_c.value), (longs){ 0 } + F64_INF);
	longs keep = ~nonzero(magnitude(errors.value)) | ~finite;
	doubles low = choose(keep, (doubles){ 0 }, all.error);
	doubles lost = doubt + 2 * (doubles)magnitude(errors.error);
	longs unsure = ~below(magnitude(lost), magnitude(low)) & nonzero(magnitude(lost));
	*again |= finite & nonzero(s->errors & INT64_MAX) & unsure;
	return round_to_odd(choose(keep, with_c.value, all.value), low);
}

INLINE words add_integers(doubles sum, words acc, bool clamp) {
	words x = (words) __builtin_convertvector(sum, ints);
	words total = acc + x, limit = (acc >> 31) + INT32_MAX;
	words over = (words)((ints)((acc ^ total) & (x ^ total)) < 0);
	return clamp ? (total & ~over) | (limit & over) : total;
}

/* ---- ROWS rows and STRIP columns ---- */

/* Lanes from `lane`, registers from `r`. */
struct place {
	unsigned r, lane, row; /* of the first register */
	unsigned at_a, at_b;   /* of row 0 and of the columns in the values of one k */
};

INLINE struct place place_of(struct kind kind, unsigned r, unsigned lane) {
	struct place at = { r, lane };
	unsigned m = kind.m, block = 0, col;
	if (kind.lanes == MX_WAVE32)
		mx_place_wmma_result(lane, r, &at.row, &col);
	else
		mx_place_dense_result(m, ROWS, lane, r, &block, &at.row, &col);
	at.at_a = m == 4 ? lane : block * m;
	at.at_b = m == 4 ? lane : block * m + col;
	return at;
}

/* Element `row` of each half. */
INLINE doubles row_of_two(doubles x, unsigned row) {
	switch (row) {
	case 0: return __builtin_shufflevector(x, x, 0, 0, 0, 0, 4, 4, 4, 4);
	case 1: return __builtin_shufflevector(x, x, 1, 1, 1, 1, 5, 5, 5, 5);
	case 2: return __builtin_shufflevector(x, x, 2, 2, 2, 2, 6, 6, 6, 6);
	default: return __builtin_shufflevector(x, x, 3, 3, 3, 3, 7, 7, 7, 7);
	}
}

/* Products k of rows i; with M = 4 a strip has two blocks. */
INLINE doubles product(const struct mx_products *g, const struct operands *x, struct kind kind,
                       struct place at, unsigned i, unsigned k) {
	unsigned k_b = g->k_of_b ? g->k_of_b[at.row + i][k] : k;
	const double *a = x->a.value + k * x->width + at.at_a;
	doubles b = load_doubles(x->b.value + k_b * x->width + at.at_b);
	if (kind.m != 4)
		return b * a[at.row + i];
	return b * row_of_two(load_doubles(a), i);
}

/* Products of a step; integers have one. */
static unsigned step_of(const struct mx_products *g) {
	if (g->op->a == MX_T_F32)
		return 1;
	return is_integer(g->op->a) || !g->profile->group ? g->op->k : g->profile->group;
}

INLINE void exact_strip(const struct mx_products *g, const struct operands *x, struct kind kind,
                        struct place at, words acc[ROWS]) {
	unsigned K = g->op->k, step = step_of(g), end;
	for (unsigned k = 0; k < K; k = end) {
		doubles sum[ROWS];
		for (unsigned i = 0; i < ROWS; i++)
			sum[i] = -(doubles){ 0 };
		end = K - k < step ? K : k + step;
		for (unsigned j = k; j < end; j++)
			for (unsigned i = 0; i < ROWS; i++)
				sum[i] += product(g, x, kind, at, i, j);
		for (unsigned i = 0; i < ROWS; i++)
			acc[i] = kind.integer ? add_integers(sum[i], acc[i], g->clamp)
			                      : (words)round_exact(sum[i], (floats)acc[i]);
	}
}

INLINE void careful_strip(const struct mx_products *g, const struct operands *x, struct kind kind,
                          struct place at, words acc[ROWS], longs again[ROWS]) {
	unsigned K = g->op->k, step = step_of(g), end;
	double doubt = doubt_of(x, (at.at_a + at.row) / STRIP, at.at_b / STRIP);
	for (unsigned k = 0; k < K; k = end) {
		struct sum sum[ROWS];
		for (unsigned i = 0; i < ROWS; i++)
			sum[i] = (struct sum){ -(doubles){ 0 } };
		end = K - k < step ? K : k + step;
		for (unsigned j = k; j < end; j++)
			for (unsigned i = 0; i < ROWS; i++)
				add(&sum[i], product(g, x, kind, at, i, j));
		for (unsigned i = 0; i < ROWS; i++)
			acc[i] = (words)round_sum(&sum[i], (floats)acc[i], doubt, &again[i]);
	}
}

/* ---- the instruction ---- */

INLINE void note(uint64_t *again, unsigned lane, words bad) {
	for (unsigned i = 0; i < STRIP; i++)
		*again |= (uint64_t)(bad[i] & 1) << (lane + i);
}

/* Lanes that are not certain keep what D has, because it may be C. */
INLINE void store(const struct mx_products *g, unsigned r, unsigned lane, words d, words bad,
                  uint64_t *again) {
	words old;
	memcpy(&old, &g->d[r][lane], sizeof old);
	d = (d & ~bad) | (old & bad);
	memcpy(&g->d[r][lane], &d, sizeof d);
	note(&again[r], lane, bad);
}

INLINE void strip(const struct mx_products *g, const struct operands *x, struct kind kind,
                  struct place at, uint64_t *again) {
	longs unsure[ROWS] = { { 0 } };
	words acc[ROWS];
	for (unsigned i = 0; i < ROWS; i++)
		memcpy(&acc[i], &g->c[at.r + i][at.lane], sizeof *acc);
	unsigned a = (at.at_a + at.row) / STRIP, b = at.at_b / STRIP;
	bool exact = kind.single || kind.integer || sums_are_exact(x, a, b, size_of(x, a, b));
	if (exact)
		exact_strip(g, x, kind, at, acc);
	else
		careful_strip(g, x, kind, at, acc, unsure);
	for (unsigned i = 0; i < ROWS; i++) {
		ints size = (ints)(acc[i] & ~MX_F32_SIGN);
		words nan = (words)(size > (int)MX_F32_INF);
		if (!kind.integer)
			acc[i] = (acc[i] & ~nan) | (nan & MX_F32_NAN);
		if (exact && (kind.integer || !g->clamp)) {
			memcpy(&g->d[at.r + i][at.lane], &acc[i], sizeof *acc);
			continue;
		}
		words bad = (words) __builtin_convertvector(unsure[i], ints);
		bad |= g->clamp ? (words)(size >= (int)MX_F32_INF) : (words){ 0 };
		store(g, at.r + i, at.lane, acc[i], bad, again);
	}
}

INLINE void strips(const struct mx_products *g, const struct operands *x, struct kind kind,
                   uint64_t *again) {
	unsigned items = x->width * g->op->m / kind.lanes;
	for (unsigned r = 0; r < items; r += ROWS)
		for (unsigned lane = 0; lane < kind.lanes; lane += STRIP)
			strip(g, x, kind, place_of(kind, r, lane), again);
}

INLINE void strips_of(const struct mx_products *g, const struct operands *x, unsigned m,
                      unsigned lanes, uint64_t *again) {
	if (is_integer(g->op->a))
		strips(g, x, (struct kind){ m, lanes, .integer = true }, again);
	else if (g->op->a == MX_T_F32)
		strips(g, x, (struct kind){ m, lanes, .single = true }, again);
	else
		strips(g, x, (struct kind){ m, lanes }, again);
}

INLINE void load_operands(const struct mx_products *g, unsigned lanes, struct operands *x) {
	const struct mx_dense *op = g->op;
	x->width = op->m * op->blocks;
	unsigned items = op->k * x->width / lanes, items_b = g->k_of_b ? 2 * items : items;
	set_bounds(x, op);
	load(&x->a, (struct layout){ lanes, x->width, items, g->run_a }, op->a, g->a);
	load(&x->b, (struct layout){ lanes, x->width, items_b, g->run_b }, op->b, g->b);
}

INLINE void run_wmma(const struct mx_products *g, uint64_t *again) {
	struct operands x;
	load_operands(g, MX_WAVE32, &x);
	strips_of(g, &x, MX_WMMA_N, MX_WAVE32, again);
}

INLINE void run_mfma(const struct mx_products *g, uint64_t *again) {
	struct operands x;
	load_operands(g, MX_LANES, &x);
	switch (g->op->m) {
	case 4: strips_of(g, &x, 4, MX_LANES, again); break;
	case 16: strips_of(g, &x, 16, MX_LANES, again); break;
	default: strips_of(g, &x, 32, MX_LANES, again); break;
	}
}

INLINE void run(const struct mx_products *g, uint64_t *again) {
	if (g->lanes == MX_WAVE32)
		run_wmma(g, again);
	else
		run_mfma(g, again);
}

/* ---- by processor ---- */

static void run_portable(const struct mx_products *g, uint64_t *again) {
	run(g, again);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const struct mx_products *g, uint64_t *again) {
	run(g, again);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void
run_avx512(const struct mx_products *g, uint64_t *again) {
	run(g, again);
}

static void (*best(void))(const struct mx_products *, uint64_t *) {
	if (mx_cpu_has(MX_CPU_V4))
		return run_avx512;
	return mx_cpu_has(MX_CPU_V3) ? run_avx2 : run_portable;
}
#else
static void (*best(void))(const struct mx_products *, uint64_t *) {
	return run_portable;
}
#endif

/* Products of f32 are computed as chains of FMAs alone. */
static bool is_chain(const mx_profile *p) {
	return !p->align && p->group == 1;
}

bool mx_mma_by_doubles(const struct mx_products *g, uint64_t again[MX_DENSE_RESULTS]) {
	mx_type t = g->op->a;
	if (t == MX_T_F64 || (!is_integer(t) && g->profile->align) ||
	    (t == MX_T_F32 && !is_chain(g->profile)) || !mx_environment_is_ieee())
		return false;
	best()(g, again);
	return true;
}
