/* Dots of factors by profiles that align products, in vectors of integers, for CPUs that
 * by_aligned_doubles.c is not for.
 *
 * A term is the product of two significands, moved to units of 2^-align of the largest exponent of
 * its part, and cut there. With the profiles of gfx950 a part's sum fits 32 bits; else it has 64
 * (step.h). The sums of parts and the accumulator are added in 64 bits, as in step.c, and stay
 * below 2^53. So the sum is an exact double, and so is its unit, between 2^-700 and 2^300. Their
 * product is exact; it is rounded once to f32.
 *
 * The plain dot computes the results with a NaN, an infinity, a product near the limit or an
 * overflow. */
#include "tile.h"
#include "step.h"
#include "../num/cpu.h"
#include "../num/f32.h"

#include <string.h>

/* Only inlined functions pass vectors, so the ABI of vectors does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* WIDE columns are computed together: so many lanes hold results of one row. NOTHING is the
 * exponent of a zero. The exponent of a sum is at least LEAST, which is below that of any
 * number except zero. */
enum { WIDE = 16, NOTHING = -10000, LEAST = -600, F64_MAN = 52, F64_BIAS = 1023 };
typedef int32_t ints __attribute__((vector_size(WIDE * 4)));
typedef int64_t longs __attribute__((vector_size(WIDE * 8)));
typedef double doubles __attribute__((vector_size(WIDE * 8)));
typedef float floats __attribute__((vector_size(WIDE * 4)));

/* ---- operands ---- */

/* +-sig * 2^(top - man), [place][row or column]; top is NOTHING for zeros. Places are the order in
 * which a profile adds products, with those of a part together. */
struct factors {
	int32_t sig[MX_TILE_ELEMS], top[MX_TILE_ELEMS], negative[MX_TILE_ELEMS]; /* 0 or -1 */
	bool special[MX_TILE_MN];
	int man;
	uint32_t most; /* the largest sig */
};

struct aligned {
	const mx_profile *profile;
	struct factors a, b;
	unsigned K, MN, group, part; /* products of a step, of a part */
	int left; /* shifts a product of significands to units of 2^(its top - align) */
};

/* The k of a place. */
static unsigned k_of(const struct aligned *x, unsigned place) {
	const mx_profile *p = x->profile;
	unsigned in_step = place % x->group, part = in_step / x->part;
	if (!p->split)
		in_step = in_step % x->part * p->parts + part;
	return mx_dot_product_at(p, x->K, place / x->group * x->group + in_step);
}

static int man_of(const struct mx_term *t, unsigned n) {
	int man = 0;
	for (unsigned i = 0; i < n; i++)
		man = t[i].top - t[i].exp > man ? t[i].top - t[i].exp : man;
	return man;
}

static void load(struct factors *x, const struct aligned *g, unsigned rows,
                 const struct mx_term *terms) {
	x->man = man_of(terms, rows * g->K);
	x->most = 0;
	memset(x->special, 0, sizeof x->special);
	for (unsigned place = 0; place < g->K; place++)
		for (unsigned row = 0, k = k_of(g, place); row < rows; row++) {
			struct mx_term t = terms[row * g->K + k];
			unsigned at = place * g->MN + row;
			/* `lead` lowers the top of a subnormal. */
			t.sig <<= t.exp - t.top + x->man;
			x->special[row] |= t.kind != MX_TERM_NUMBER;
			x->sig[at] = t.kind == MX_TERM_NUMBER ? (int32_t)t.sig : 0;
			x->top[at] = x->sig[at] ? t.top : NOTHING;
			x->negative[at] = -t.negative;
			x->most = t.sig > x->most ? t.sig : x->most;
		}
}

/* ---- vectors ---- */

#define INLINE static inline __attribute__((always_inline))

INLINE ints load_ints(const int32_t *from) {
	ints v;
	memcpy(&v, from, sizeof v);
	return v;
}

/* Masks by arithmetic: GCC makes comparisons of such wide vectors element by element. The
 * difference must not overflow. */
INLINE ints less(ints x, ints y) {
	return (x - y) >> 31;
}

INLINE ints larger(ints x, ints y) {
	ints y_larger = less(x, y);
	return (y & y_larger) | (x & ~y_larger);
}

INLINE ints smaller(ints x, int y) {
	ints x_smaller = less(x, (ints){ 0 } + y);
	return (x & x_smaller) | (y & ~x_smaller);
}

INLINE bool any(ints x) {
	uint64_t words[WIDE / 2], all = 0;
	memcpy(words, &x, sizeof words);
	for (unsigned i = 0; i < WIDE / 2; i++)
		all |= words[i];
	return all;
}

INLINE longs widened(ints x) {
	return __builtin_convertvector(x, longs);
}

/* v * 2^from floored, in units of 2^to; v is 0 if `from` has no meaning. */
INLINE longs floor_to(longs v, ints from, ints to) {
	longs shift = widened(to - from);
	longs right = -shift >> 63, beyond = (63 - shift) >> 63; /* shift > 0, shift > 63 */
	longs count = (shift & ~beyond) | (beyond & 63);
	return (v >> (count & right)) << (-shift & ~right & 63);
}

/* q, or -q where sign is -1, without its last `down` bits. */
INLINE longs cut_of(longs q, longs down, longs sign, unsigned cut) {
	longs beyond = (62 - down) >> 63;
	down = (down & ~beyond) | (beyond & 62);
	longs kept = q >> down, half = ((longs){ 0 } + 1) << down >> 1;
	if (cut == MX_CUT_FLOOR)
		return ((q ^ sign) - sign) >> down;
	if (cut == MX_CUT_NEAREST)
		kept = (q + ((half - 1 + (kept & 1)) & (-down >> 63))) >> down;
	if (cut == MX_CUT_ODD)
		kept |= ((kept << down) - q) >> 63 & 1;
	return (kept ^ sign) - sign;
}

/* ---- a part ---- */

/* The places of a part, for one row and WIDE columns. */
struct part {
	const struct factors *a, *b;
	unsigned MN, row, col, first, end;
};

/* The largest exponent. */
INLINE ints part_top(struct part x) {
	ints top = (ints){ 0 } + 2 * NOTHING;
	for (unsigned k = x.first; k < x.end; k++)
		top = larger(top,
		             x.a->top[k * x.MN + x.row] + load_ints(x.b->top + k * x.MN + x.col));
	return top;
}

/* The sum in units of 2^(top - align), where it fits 32 bits. */
INLINE longs part_sum(struct part x, ints top, int left, bool floored) {
	ints sum = { 0 };
	int up = left > 0 ? left : 0, down = up - left;
	for (unsigned k = x.first; k < x.end; k++) {
		unsigned i = k * x.MN + x.row, j = k * x.MN + x.col;
		ints below = smaller(top + down - x.a->top[i] - load_ints(x.b->top + j), 31);
		ints sign = x.a->negative[i] ^ load_ints(x.b->negative + j);
		ints product = (x.a->sig[i] << up) * load_ints(x.b->sig + j);
		if (floored)
			sum += ((product ^ sign) - sign) >> below;
		else
			sum += ((product >> below) ^ sign) - sign;
	}
	return widened(sum);
}

INLINE longs part_sum_wide(struct part x, ints top, int left, unsigned cut) {
	longs sum = { 0 };
	int up = left > 0 ? left : 0, down = up - left;
	for (unsigned k = x.first; k < x.end; k++) {
		unsigned i = k * x.MN + x.row, j = k * x.MN + x.col;
		ints below = top + down - x.a->top[i] - load_ints(x.b->top + j);
		ints sign = x.a->negative[i] ^ load_ints(x.b->negative + j);
		longs product = widened(x.a->sig[i] * load_ints(x.b->sig + j)) << up;
		sum += cut_of(product, widened(below), widened(sign), cut);
	}
	return sum;
}

/* Whether all products of a step are -0. */
INLINE ints all_minus_zero(const struct aligned *x, unsigned row, unsigned col, unsigned first) {
	ints all = ~(ints){ 0 };
	for (unsigned k = first; k < first + x->group; k++) {
		unsigned i = k * x->MN + row, j = k * x->MN + col;
		ints product = x->a.sig[i] * load_ints(x->b.sig + j);
		all &= (x->a.negative[i] ^ load_ints(x->b.negative + j)) & ~(-product >> 31);
	}
	return all;
}

/* ---- a step ---- */

/* What does not change in the loops, so that each combination is compiled on its own. */
struct method {
	bool wide;  /* sums of parts have 64 bits */
	bool basic; /* the profile is one of gfx950 */
};

struct accumulator {
	ints top, sig, sign; /* sign: 0 or -1 */
	ints special;
};

INLINE struct accumulator accumulator_of(const mx_profile *p, ints c) {
	ints field = c >> 23 & 0xFF, normal = less((ints){ 0 }, field);
	ints keep = p->flush & MX_FLUSH_C ? normal : ~(ints){ 0 };
	return (struct accumulator){ .top = larger(field, (ints){ 0 } + 1) - 127,
		                     .sig = ((c & 0x7FFFFF) | (normal & 0x800000)) & keep,
		                     .sign = c >> 31,
		                     .special = less((ints){ 0 } + 254, field) };
}

INLINE longs sum_of(const struct aligned *x, struct method m, struct part at, ints top) {
	const mx_profile *p = x->profile;
	if (m.wide)
		return part_sum_wide(at, top, x->left, p->cut);
	return part_sum(at, top, x->left, !m.basic && p->cut == MX_CUT_FLOOR);
}

/* The sum of the products of a step in units of 2^*unit. */
INLINE longs products(const struct aligned *x, struct method m, struct part at, ints *top,
                      ints *unit) {
	const mx_profile *p = x->profile;
	unsigned first = at.first, parts = p->parts;
	ints least = (ints){ 0 } + (p->low ? -(int)p->low : 2 * NOTHING), tops[MX_PARTS];
	longs sum = { 0 };
	*top = least;
	for (unsigned i = 0; i < parts; i++) {
		at.first = first + i * x->part;
		at.end = at.first + x->part;
		tops[i] = larger(part_top(at), least);
		*top = larger(*top, tops[i]);
	}
	*unit = *top - (int)(parts == 1 ? p->align : p->join);
	for (unsigned i = 0; i < parts; i++) {
		at.first = first + i * x->part;
		at.end = at.first + x->part;
		sum += floor_to(sum_of(x, m, at, tops[i]), tops[i] - (int)p->align, *unit);
	}
	return sum;
}

/* The sum of products and C, in units of 2^*unit. */
INLINE longs sum_apart(const struct aligned *x, struct method m, struct part at,
                       struct accumulator c, ints *top, ints *unit) {
	const mx_profile *p = x->profile;
	int dot_bits = p->dot, acc_bits = p->acc;
	int width = dot_bits > acc_bits ? dot_bits : acc_bits;
	longs dot = products(x, m, at, top, unit);
	ints c_any = less((ints){ 0 }, c.sig), most = *top;
	most = larger(larger(most, (c.top & c_any) | (LEAST & ~c_any)), (ints){ 0 } + LEAST);
	if (p->drop)
		c.sig &= ~less(c.top, most - (int)p->drop);
	dot = floor_to(dot, *unit, most - dot_bits);
	longs acc = widened((c.sig ^ c.sign) - c.sign);
	acc = floor_to(acc, c.top - MX_F32_MAN, most - acc_bits);
	*unit = most - width;
	return (dot << (width - dot_bits)) + (acc << (width - acc_bits));
}

/* C is one of the terms. */
INLINE longs sum_fused(const struct aligned *x, struct method m, struct part at,
                       struct accumulator c, ints *top, ints *unit) {
	const mx_profile *p = x->profile;
	ints c_any = less((ints){ 0 }, c.sig),
	     least = (ints){ 0 } + (p->low ? -(int)p->low : LEAST);
	at.end = at.first + x->group;
	*top = part_top(at);
	ints most = larger(larger(*top, (c.top & c_any) | (LEAST & ~c_any)), least);
	*unit = most - (int)p->align;
	longs shift = widened(*unit - c.top + MX_F32_MAN), right = -shift >> 63;
	longs acc = widened(c.sig) << (-shift & ~right & 63);
	return sum_of(x, m, at, most) + cut_of(acc, shift & right, widened(c.sign), p->cut);
}

/* x without the bits more than `bits` below its leading one, floored. */
INLINE longs floor_to_bits(longs x, int bits) {
	longs sign = x >> 63, magnitude = (x ^ sign) - sign;
	longs lead = ((longs) __builtin_convertvector(magnitude, doubles) >> F64_MAN) - F64_BIAS;
	longs lost = lead - bits, cut = -lost >> 63;
	return x & ~(longs){ 0 } << (lost & cut);
}

/* The f32 with this sign of the magnitude, the nearest f32 to an exact value, as a variation rounds
 * it. */
INLINE ints round_variation(const mx_profile *p, doubles value, ints nearest) {
	ints sign = nearest & INT32_MIN, magnitude = nearest & INT32_MAX;
	int rest = p->bits ? MX_F32_MAN - (int)p->bits : 0;
	longs exact = (longs)value & INT64_MAX;
	doubles back = __builtin_convertvector((floats)magnitude, doubles);
	ints cut = magnitude + __builtin_convertvector((exact - (longs)back) >> 63, ints);
	back = __builtin_convertvector((floats)cut, doubles);
	ints inexact = __builtin_convertvector(((longs)back - exact) >> 63, ints);
	if (p->round) {
		magnitude = cut & -(1 << rest);
	} else if (rest) {
		/* Bits below the half and the last one decide a tie. */
		ints odd = cut >> rest & 1, up = (1 << (rest - 1)) - 1 + (odd | (inexact & 1));
		magnitude = (cut + up) & -(1 << rest);
	}
	if (p->flush & MX_FLUSH_RESULTS)
		magnitude &= ~less(magnitude, (ints){ 0 } + 0x800000);
	if (p->zero == 2)
		sign &= -magnitude;
	return magnitude | (sign & INT32_MIN);
}

/* sum * 2^unit, rounded once; both are exact doubles. *again gets the lanes that overflow. */
INLINE ints round_sum(const mx_profile *p, struct method m, longs sum, ints unit, ints *again) {
	longs field = widened(unit + F64_BIAS);
	doubles value = __builtin_convertvector(sum, doubles) * (doubles)(field << F64_MAN);
	ints nearest = (ints) __builtin_convertvector(value, floats);
	ints d = m.basic ? nearest : round_variation(p, value, nearest);
	*again |= ~less(larger(nearest & INT32_MAX, d & INT32_MAX), (ints){ 0 } + (int)MX_F32_INF);
	return d;
}

/* A step of WIDE accumulators; *again becomes -1 in lanes that the plain dot must compute. */
INLINE ints step(const struct aligned *x, struct method m, struct part at, ints bits, ints *again) {
	const mx_profile *p = x->profile;
	struct accumulator c = accumulator_of(p, bits);
	ints top, unit;
	longs sum = !m.basic && p->fused ? sum_fused(x, m, at, c, &top, &unit)
	                                 : sum_apart(x, m, at, c, &top, &unit);
	/* Four factors below 2 are below 2^4. */
	*again |= c.special | ~less(top, (ints){ 0 } + (p->limit ? (int)p->limit : 1000) - 4);
	if (p->norm)
		sum = floor_to_bits(sum, (int)p->norm);
	ints d = round_sum(p, m, sum, unit, again);
	ints zero = ~less((ints){ 0 }, d & INT32_MAX) & ~less((ints){ 0 }, c.sig) & c.sign;
	if (any(zero) && !p->zero)
		d |= zero & all_minus_zero(x, at.row, at.col, at.first) & INT32_MIN;
	return d;
}

/* ---- all results ---- */

/* Columns from col; the others are computed again. */
INLINE uint32_t strip(const struct aligned *x, struct method m, unsigned row, unsigned col,
                      const uint32_t *c, uint32_t *d) {
	ints acc, bad = { 0 };
	uint32_t again = 0;
	memcpy(&acc, c, sizeof acc);
	if (x->profile->late)
		acc = (ints){ 0 } + INT32_MIN;
	for (unsigned k = 0; k < x->K; k += x->group)
		acc = step(x, m, (struct part){ &x->a, &x->b, x->MN, row, col, k, 0 }, acc, &bad);
	memcpy(d, &acc, sizeof acc);
	for (unsigned i = 0; i < WIDE; i++)
		if (bad[i] || x->a.special[row] || x->b.special[col + i])
			again |= UINT32_C(1) << i;
	return again;
}

INLINE void run_method(const struct aligned *x, struct method m, const mx_tile_results c,
                       mx_tile_results d, uint32_t again[MX_TILE_MN]) {
	for (unsigned row = 0; row < x->MN; row++)
		for (unsigned col = 0; col < x->MN; col += WIDE)
			again[row] |= strip(x, m, row, col, c[row] + col, d[row] + col) << col;
}

INLINE void run(const struct aligned *x, struct method m, const mx_tile_results c,
                mx_tile_results d, uint32_t again[MX_TILE_MN]) {
	if (m.wide)
		run_method(x, (struct method){ true, false }, c, d, again);
	else if (m.basic)
		run_method(x, (struct method){ false, true }, c, d, again);
	else
		run_method(x, (struct method){ false, false }, c, d, again);
}

static void run_portable(const struct aligned *x, struct method m, const mx_tile_results c,
                         mx_tile_results d, uint32_t again[MX_TILE_MN]) {
	run(x, m, c, d, again);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void
run_avx512(const struct aligned *x, struct method m, const mx_tile_results c, mx_tile_results d,
           uint32_t again[MX_TILE_MN]) {
	run(x, m, c, d, again);
}
#else
#define run_avx512 run_portable
#endif

/* Steps and parts must be whole. */
bool mx_aligns_in_vectors(const mx_profile *p, unsigned MN, unsigned K) {
	unsigned group = p->group < K ? p->group : K;
	return p->align && K % group == 0 && group % p->parts == 0 &&
	       (p->parts == 1 || group == p->group) && (!p->limit || p->limit >= 4) &&
	       MN % WIDE == 0 && mx_environment_is_ieee();
}

/* The products of a part below 2^31, with nothing added to them before they are cut. The
 * significands of A are shifted first, so they count even if those of B are 0. */
static bool needs_64_bits(const struct aligned *x) {
	unsigned b = x->b.most ? x->b.most : 1;
	uint64_t product = (uint64_t)x->a.most * b << (x->left > 0 ? x->left : 0);
	return x->profile->cut > MX_CUT_FLOOR || x->left > 31 || product * x->part > INT32_MAX;
}

bool mx_factors_by_alignment(const struct mx_factors *g, const mx_tile_results c, mx_tile_results d,
                             uint32_t again[MX_TILE_MN]) {
	const mx_profile *p = g->profile;
	struct aligned x = { .profile = p, .K = g->K, .MN = g->MN };
	if (!mx_aligns_in_vectors(p, g->MN, g->K))
		return false;
	x.group = p->group < g->K ? p->group : g->K;
	x.part = x.group / p->parts;
	load(&x.a, &x, g->MN, g->a);
	load(&x.b, &x, g->MN, g->b);
	x.left = (int)p->align - x.a.man - x.b.man;
	struct method m = { needs_64_bits(&x), mx_profile_is_basic(p) };
	memset(again, 0, MX_TILE_MN * sizeof *again);
	(mx_cpu_has(MX_CPU_V4) ? run_avx512 : run_portable)(&x, m, c, d, again);
	return true;
}
