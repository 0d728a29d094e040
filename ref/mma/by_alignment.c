/* The scaled MFMA for profiles that align products, in vectors of integers.
 *
 * A significand has at most 4 bits and a product at most 8. Aligned to at most 24 bits
 * below the largest exponent of its part, a product is below 2^26, so a part of at most 16
 * products is below 2^30 and fits 32 bits. The sums of parts and the accumulator are added
 * in 64 bits, as in step.c, and stay below 2^53. So the sum is an exact double, and so is
 * its unit, between 2^-400 and 2^300. Their product is exact; its conversion to f32 rounds
 * once.
 *
 * mx_dot computes the results with a NaN, an infinity, a product near the limit or an
 * accumulator of -0. */
#include "tile.h"
#include "../num/cpu.h"
#include "../num/f32.h"

#include <string.h>

/* Only inlined functions pass vectors, so the ABI of vectors does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* WIDE columns are computed together: so many lanes hold results of one row. NOTHING is the
 * exponent of a zero. The exponent of a sum is at least LEAST, which is below that of any
 * number except zero. */
enum { WIDE = 16, NOTHING = -10000, LEAST = -600 };
typedef int32_t ints __attribute__((vector_size(WIDE * 4)));
typedef int64_t longs __attribute__((vector_size(WIDE * 8)));
typedef double doubles __attribute__((vector_size(WIDE * 8)));
typedef float floats __attribute__((vector_size(WIDE * 4)));

/* +-sig * 2^(top - man), [k][row or column]; top is NOTHING for zeros. */
struct factors {
	int32_t sig[MX_TILE_ELEMS], top[MX_TILE_ELEMS], negative[MX_TILE_ELEMS]; /* 0 or -1 */
	bool special[MX_TILE_MN];
	int man;
};

static void load(struct factors *x, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                 const uint8_t *scale) {
	struct mx_tile tile;
	unsigned MN = mx_shape_mn(s), K = mx_shape_k(s);
	mx_tile_load(&tile, s, f, regs, scale, MX_BLOCK);
	x->man = mx_format_info(f)->man_bits;
	memset(x->special, 0, sizeof x->special);
	for (unsigned i = 0; i < MX_TILE_ELEMS; i++) {
		struct mx_unpacked u = mx_elem_unpack(f, tile.elem[i]);
		int byte = tile.scale[i / MX_BLOCK].v, at = i % K * MN + i / K;
		x->special[i / K] |= u.kind != MX_NUMBER || byte == 0xFF;
		x->sig[at] = u.kind == MX_NUMBER ? u.sig : 0;
		x->top[at] = x->sig[at] ? u.exp + x->man + byte - 127 : NOTHING;
		x->negative[at] = -u.negative;
	}
}

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

/* The largest exponent of a part, for one row and WIDE columns: every `step`th product from
 * k to end. */
INLINE ints part_top(const struct factors *a, const struct factors *b, unsigned MN, unsigned row,
                     unsigned col, unsigned k, unsigned end, unsigned step) {
	ints top = (ints){ 0 } + 2 * NOTHING;
	for (; k < end; k += step)
		top = larger(top, a->top[k * MN + row] + load_ints(b->top + k * MN + col));
	return top;
}

/* The sum of a part in units of 2^(top - align). */
INLINE ints part_sum(const struct factors *a, const struct factors *b, unsigned MN, unsigned row,
                     unsigned col, unsigned k, unsigned end, unsigned step, ints top, int left) {
	ints sum = { 0 };
	for (; k < end; k += step) {
		unsigned x = k * MN + row, y = k * MN + col;
		ints below = smaller(top - a->top[x] - load_ints(b->top + y), 31);
		ints sign = a->negative[x] ^ load_ints(b->negative + y);
		ints product = (a->sig[x] << left) * load_ints(b->sig + y) >> below;
		sum += (product ^ sign) - sign;
	}
	return sum;
}

/* v * 2^from floored, in units of 2^to; v is 0 if `from` has no meaning. */
INLINE longs floor_to(longs v, ints from, ints to) {
	longs shift = __builtin_convertvector(to - from, longs);
	longs right = -shift >> 63, beyond = (63 - shift) >> 63; /* shift > 0, shift > 63 */
	longs count = (shift & ~beyond) | (beyond & 63);
	return (v >> (count & right)) << (-shift & ~right & 63);
}

struct aligned {
	const mx_profile *profile;
	struct factors a, b;
	unsigned MN, K;
	int left; /* shifts a product of significands to units of 2^(its top - align) */
};

/* The sum of the products of a step in units of 2^*unit. */
INLINE longs products(const struct aligned *x, unsigned row, unsigned col, unsigned k, ints *top,
                      ints *unit) {
	const mx_profile *p = x->profile;
	unsigned end = k + p->group, parts = p->parts;
	longs sum = { 0 };
	ints tops[2] = { { 0 } }, sums[2] = { { 0 } };
	for (unsigned i = 0; i < parts; i++) {
		tops[i] = part_top(&x->a, &x->b, x->MN, row, col, k + i, end, parts);
		sums[i] = part_sum(&x->a, &x->b, x->MN, row, col, k + i, end, parts, tops[i],
		                   x->left);
	}
	*top = parts == 1 ? tops[0] : larger(tops[0], tops[1]);
	*unit = *top - (int)(parts == 1 ? p->align : p->join);
	for (unsigned i = 0; i < parts; i++)
		sum += floor_to(__builtin_convertvector(sums[i], longs), tops[i] - (int)p->align,
		                *unit);
	return sum;
}

/* sum * 2^unit, rounded once; both are exact doubles. */
INLINE ints round_sum(longs sum, ints unit) {
	longs field = __builtin_convertvector(unit + 1023, longs);
	doubles value = __builtin_convertvector(sum, doubles) * (doubles)(field << 52);
	return (ints) __builtin_convertvector(value, floats);
}

/* A step of WIDE accumulators; *again becomes -1 in lanes that mx_dot must compute. */
INLINE ints step(const struct aligned *x, unsigned row, unsigned col, unsigned k, ints c,
                 ints *again) {
	const mx_profile *p = x->profile;
	int dot_bits = p->dot, acc_bits = p->acc;
	int width = dot_bits > acc_bits ? dot_bits : acc_bits;
	ints field = c >> 23 & 0xFF, c_top = larger(field, (ints){ 0 } + 1) - 127;
	ints zero = { 0 }, normal = less(zero, field), c_sign = c >> 31, top, unit;
	ints sig = (c & 0x7FFFFF) | (normal & 0x800000);
	ints minus_zero = c_sign & ~less(zero, c & INT32_MAX);
	*again |= less(zero + 254, field) | minus_zero;
	longs dot = products(x, row, col, k, &top, &unit);
	*again |= ~less(top, zero + (p->limit ? (int)p->limit : 1000) - 2);
	ints c_any = less(zero, sig);
	top = larger(larger(top, (c_top & c_any) | (LEAST & ~c_any)), (ints){ 0 } + LEAST);
	if (p->drop)
		sig &= ~less(c_top, top - (int)p->drop);
	dot = floor_to(dot, unit, top - dot_bits);
	longs acc = __builtin_convertvector((sig ^ c_sign) - c_sign, longs);
	acc = floor_to(acc, c_top - 23, top - acc_bits);
	longs sum = (dot << (width - dot_bits)) + (acc << (width - acc_bits));
	return round_sum(sum, top - width);
}

INLINE void run(const struct aligned *x, const struct mx_mma_args *g, uint32_t (*d)[MX_LANES],
                uint64_t *again) {
	unsigned row, col;
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane += WIDE) {
			ints c, bad = { 0 };
			mx_place_result(g->shape, lane, r, &row, &col);
			memcpy(&c, &g->c[r][lane], sizeof c);
			for (unsigned k = 0; k < x->K; k += x->profile->group)
				c = step(x, row, col, k, c, &bad);
			memcpy(&d[r][lane], &c, sizeof c);
			bad |= ~less(c & (int)MX_F32_INF, (ints){ 0 } + (int)MX_F32_INF);
			for (unsigned i = 0; i < WIDE; i++)
				if (bad[i] || x->a.special[row] || x->b.special[col + i])
					again[r] |= UINT64_C(1) << (lane + i);
		}
}

static void run_portable(const struct aligned *x, const struct mx_mma_args *g,
                         uint32_t (*d)[MX_LANES], uint64_t *again) {
	run(x, g, d, again);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void
run_avx512(const struct aligned *x, const struct mx_mma_args *g, uint32_t (*d)[MX_LANES],
           uint64_t *again) {
	run(x, g, d, again);
}
#else
#define run_avx512 run_portable
#endif

/* Whether groups end with their block, and the widths are within the bounds above. */
static bool applies(const mx_profile *p) {
	return p->align && p->align <= 24 && p->group % 2 == 0 && MX_BLOCK % p->group == 0 &&
	       p->group <= 16 && !p->norm && (!p->limit || p->limit >= 4);
}

bool mx_mma_by_alignment(const struct mx_mma_args *g) {
	uint64_t again[MX_TILE_RESULTS] = { 0 };
	uint32_t d[MX_TILE_RESULTS][MX_LANES];
	struct aligned x = { .profile = g->profile,
		             .MN = mx_shape_mn(g->shape),
		             .K = mx_shape_k(g->shape) };
	if (!applies(g->profile) || !mx_scales_are_e8m0(g) || !mx_environment_is_ieee())
		return false;
	load(&x.a, g->shape, g->fmt_a, g->a, g->scale_a);
	load(&x.b, g->shape, g->fmt_b, g->b, g->scale_b);
	x.left = (int)g->profile->align - x.a.man - x.b.man;
	if (x.left < 0)
		return false;
	(mx_cpu_has(MX_CPU_V4) ? run_avx512 : run_portable)(&x, g, d, again);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			if (!(again[r] >> lane & 1))
				g->d[r][lane] = d[r][lane];
	mx_mma_some_plain(g, again);
	return true;
}
