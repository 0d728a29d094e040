/* Data of the exact regime: every order of accumulation gives the same bits.
 *
 * An element with an exponent field of at least f, mantissa of m bits and bias b is a multiple of
 * 2^(f - b - m) (f >= 1; subnormals count as field 1). A block draws its elements from a window of
 * fields [f, f + span], with all signs and mantissas. So each is n units, |n| <= (2^(m+1) - 1)
 * 2^span. Its scale moves the unit to 2^(base + s), 0 <= s <= spread, for each f. So a format that
 * is too wide for one window (E4M3, E5M2) uses every code, in one block or another.
 *
 * All products are then multiples of u = 2^(base_a + base_b), and the sum of the magnitudes of K of
 * them is at most
 *
 *     K (2^(ma+1) - 1) (2^(mb+1) - 1) 2^(span_a + span_b + spread_a + spread_b) u,
 *
 * which exact_reach keeps below 2^24 u. The largest exponent of a product is at most ma + mb +
 * spans + spreads above u. As 2^m <= 2^(m+1) - 1, the same bound keeps it below 24 above u, as the
 * alignment condition requires.
 *
 * E2M1 x E2M1: 12 units at most, K * 144 * 2^spreads < 2^24.
 *
 * Every block has +0, -0, and the smallest and the largest number of its window with both signs.
 * Zeros have no unit, and so are in every window.
 *
 * A recipe that takes the scale from the largest exponent clips a block of E4M3 whose largest
 * number is 1.875 times a power of two, as 448 = 1.75 * 2^8 is the largest of the format. So the
 * last field of a window of an operand that a kernel quantises has no mantissa above that of the
 * largest code.
 *
 * For an output in f16, u is 2^-11 to 2^-9, so that no result overflows. Ties of outputs in 16 bits
 * are planted: plant_exact.c.
 *
 * If an epilogue multiplies the sum by alpha, the limit is lower than 2^24, and u is near 1
 * (fill_epilogue.c). */
#include "fill.h"

#include <string.h>

enum {
	MAX_SPREAD = 7, /* of both operands together */
	MIN_BASE = 8,   /* no scale near 1: a kernel that omits it must fail */
	BASES = 32,     /* |base| < 40: sums are in 2^-78 to 2^(78 + 24), normal in f32 */
	NEAR = 3,       /* the sum of both bases is 1 to 3: a product without both scales differs */
};

static unsigned max_field(mx_format f) {
	return max_finite_code(f) >> mx_format_info(f)->man_bits;
}

static unsigned full_span(const struct operand *o) {
	return o ? max_field(o->format) - 1 : 0;
}

static uint64_t max_significand(const struct operand *o) {
	return o ? (2u << mx_format_info(o->format)->man_bits) - 1 : 1;
}

static unsigned least(unsigned a, unsigned b) {
	return a < b ? a : b;
}

/* Largest n with K * siga * sigb * 2^n < limit, or -1. */
static int doublings(const struct operand *a, const struct operand *b, uint64_t K, uint64_t limit) {
	int n = -1;
	if (K >= limit)
		return -1;
	for (uint64_t sum = K * max_significand(a) * max_significand(b); sum < limit; sum *= 2)
		n++;
	return n;
}

/* Whole formats if they fit; otherwise a third of the doublings is for scales. */
bool exact_reach(const struct operand *a, const struct operand *b, int64_t K, uint64_t limit,
                 struct reach *ra, struct reach *rb) {
	unsigned full_a = full_span(a), full_b = full_span(b);
	int n = doublings(a, b, K, limit);
	if (n < 0)
		return false;
	unsigned room = full_a + full_b <= (unsigned)n ? n : n - n / 3;
	rb->span = least(full_b, room / 2);
	ra->span = least(full_a, room - rb->span);
	rb->span = least(full_b, room - ra->span);
	unsigned spread = least(MAX_SPREAD, n - ra->span - rb->span);
	ra->spread = b ? spread - spread / 2 : spread;
	rb->spread = spread - ra->spread;
	return true;
}

/* The properties of a format that its codes depend on. */
struct codes {
	unsigned bits, man, max; /* max: the largest unsigned code of a finite number */
	unsigned last;           /* the largest mantissa in the last field of a window */
};

static struct codes codes_of(const struct operand *o) {
	const struct mx_format_info *info = mx_format_info(o->format);
	unsigned max = max_finite_code(o->format), all = (1u << info->man_bits) - 1;
	return (struct codes){ info->bits, info->man_bits, max, o->quantised ? max & all : all };
}

/* The largest unsigned code of a window that ends with a field. */
static unsigned largest_code(struct codes f, unsigned field) {
	return least(field << f.man | f.last, f.max);
}

/* 16 random bits for each element of a block. */
static void draw_bits(const struct operand *o, size_t row, size_t block, uint16_t bits[MX_BLOCK]) {
	enum { DRAWS = MX_BLOCK * sizeof *bits / sizeof(struct draw) };
	struct draw few[DRAW_FEW];
	draw_few(o->stream, DRAW_ELEMENT, row, block * DRAWS, DRAWS, few);
	memcpy(bits, few, MX_BLOCK * sizeof *bits); /* little-endian: low half first */
}

/* Sign, mantissa and field of each from its bits. */
static void draw_codes(struct codes f, const uint16_t bits[MX_BLOCK], unsigned first,
                       unsigned n_fields, mx_elem codes[MX_BLOCK]) {
	unsigned largest = largest_code(f, first + n_fields - 1);
	for (size_t i = 0; i < MX_BLOCK; i++) {
		unsigned sign = bits[i] & 1u, man = bits[i] >> 1 & ((1u << f.man) - 1);
		unsigned field = first + ((bits[i] >> 4) * n_fields >> 12);
		codes[i].v = (uint8_t)(sign << (f.bits - 1) | least(field << f.man | man, largest));
	}
}

/* At different elements: 5 and 32 have no common factor. */
static void put_ends(struct codes f, unsigned window, unsigned span, uint32_t bits,
                     mx_elem block[MX_BLOCK]) {
	unsigned sign = 1u << (f.bits - 1), man = 1u << f.man;
	unsigned smallest = window == 1 ? 1 : window * man;
	unsigned largest = largest_code(f, window + span);
	const unsigned ends[] = { 0, sign, smallest, sign | smallest, largest, sign | largest };
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
		block[(bits + 5 * i) % MX_BLOCK] = (mx_elem){ ends[i] };
}

static void fill_block(const struct operand *o, struct codes f, size_t row, size_t block,
                       struct reach reach, int base) {
	struct draw d = draw_at(o->stream, DRAW_BLOCK, row, block);
	unsigned window = 1 + draw_below(d.w[0], (f.max >> f.man) - reach.span);
	unsigned first = window == 1 ? 0 : window;
	int unit = (int)window - mx_format_info(o->format)->bias - (int)f.man;
	uint16_t bits[MX_BLOCK];
	mx_elem codes[MX_BLOCK];
	*operand_scale(o, row, block) = 127 + base + draw_below(d.w[1], reach.spread + 1) - unit;
	draw_bits(o, row, block, bits);
	draw_codes(f, bits, first, window + reach.span - first + 1, codes);
	put_ends(f, window, reach.span, d.w[2], codes);
	operand_put_block(o, row, block, codes);
}

int exact_base(const struct operand *o) {
	struct draw d = draw_at(o->stream, DRAW_OPERAND, 0, 0);
	int magnitude = MIN_BASE + draw_below(d.w[0], BASES);
	return d.w[1] & 1 ? magnitude : -magnitude;
}

int exact_base_against(const struct operand *o, int other) {
	struct draw d = draw_at(o->stream, DRAW_OPERAND, 0, 0);
	return 1 + (int)draw_below(d.w[0], NEAR) - other;
}

struct units {
	struct reach reach;
	int base;
};

static mx_status fill(const struct operand *o, const void *how) {
	const struct units *u = how;
	struct codes f = codes_of(o);
	for (size_t row = o->from; row < o->to; row++)
		for (size_t block = 0; block < o->scales->cols; block++)
			fill_block(o, f, row, block, u->reach, u->base);
	return MX_OK;
}

void fill_exact(const struct operand *o, struct reach reach, int base) {
	fill_rows(o, fill, &(struct units){ reach, base });
}
