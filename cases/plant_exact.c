/* Planted ties of a 16-bit output in the exact regime.
 *
 * With `digits` of the output's significand, 2^digits + 1 units is a tie that rounds to 2^digits,
 * and 2^digits + 3 is one that rounds to 2^digits + 4. With both signs these are the four lines of
 * this regime. As in plant.c, a carrier of one operand and targets of the other have numbers at
 * every second k and have no nonzero product, except in two blocks. In block Y they meet in 1 x 1
 * or 1 x 3 units at k = 0. In block X they meet at `terms` adjacent k in equal powers of two that
 * add up to 2^digits. All are within the window of fill_exact.c (here the lowest of the format) and
 * the spread of scales, so the proof there holds for them.
 *
 * If more than 14 terms were needed there are no ties: above K = 70,000 (bf16) or 16,000 (f16) the
 * window is too small for the worst formats, and one block of E2M1 x E2M1 is too short for the 12
 * bits of a tie of f16. B's targets take the first lines, A's continue. */
#include "dtype.h"
#include "plant.h"

#include <math.h>

enum { LINES = 4, MOST_PLACES = MX_BLOCK / 2, BIAS = 127 };

struct ties {
	const struct exact_side *side;
	const struct product *p;
	size_t y, x, terms;
	unsigned exp[2]; /* exponent of the power of two of A and of B in block X */
	size_t carrier[2], targets[2];
};

static unsigned man_bits(const struct exact_side *s) {
	return mx_format_info(s->o->format)->man_bits;
}

/* Finds exponents that give 2^digits with the fewest products. False: there is no room. */
static bool fit(struct ties *t, unsigned digits) {
	unsigned most[2], rest;
	for (unsigned s = 0; s < 2; s++)
		most[s] = man_bits(&t->side[s]) + t->side[s].reach.span +
		          (t->x != t->y ? t->side[s].reach.spread : 0);
	rest = digits > most[0] + most[1] ? digits - most[0] - most[1] : 0;
	if (rest > 4 || 1u << rest > MOST_PLACES - 2)
		return false;
	t->terms = 1u << rest;
	t->exp[0] = most[0] < digits ? most[0] : digits;
	t->exp[1] = digits - rest - t->exp[0];
	return true;
}

/* ---- rows ---- */

static size_t row_of(const struct ties *t, unsigned side, size_t row) {
	return t->p->row[side] + row;
}

/* Zeros the half of the row in which the other operand has numbers. */
static void clear_half(const struct ties *t, unsigned side, size_t row) {
	const struct operand *o = t->side[side].o;
	unsigned sign = 1u << (mx_format_info(o->format)->bits - 1);
	size_t from = t->p->block * MX_BLOCK, to = from + t->p->blocks * MX_BLOCK;
	for (size_t k = from + 1 - side; k < to; k += 2)
		mx_elem_set(o->format, operand_row(o, row_of(t, side, row)), k,
		            (mx_elem){ k / 2 % 2 ? sign : 0 });
}

/* n units, n below 2^(man_bits + 1) or a power of two in the window, at elements [from, to) of an
 * otherwise empty block. */
static void put(const struct ties *t, unsigned side, size_t row, size_t block, size_t from,
                size_t to, unsigned code, bool negative) {
	const struct operand *o = t->side[side].o;
	unsigned sign = negative ? 1u << (mx_format_info(o->format)->bits - 1) : 0;
	for (size_t i = from; i < to; i++)
		mx_elem_set(o->format, operand_row(o, row_of(t, side, row)), block * MX_BLOCK + i,
		            (mx_elem){ code | sign });
}

static void empty(const struct ties *t, unsigned side, size_t row, size_t block, unsigned spread) {
	const struct exact_side *s = &t->side[side];
	const struct mx_format_info *info = mx_format_info(s->o->format);
	int unit = 1 - info->bias - info->man_bits;
	put(t, side, row, block, 0, MX_BLOCK, 0, false);
	*operand_scale(s->o, row_of(t, side, row), block) =
		(uint8_t)(BIAS + s->base + (int)spread - unit);
}

/* `small` units in Y, 2^exp units in X. */
static void plant(const struct ties *t, unsigned side, size_t row, unsigned small, bool negative) {
	unsigned man = man_bits(&t->side[side]), exp = t->exp[side];
	unsigned most = man + t->side[side].reach.span, in_code = exp < most ? exp : most;
	unsigned code = in_code <= man ? 1u << in_code : (1 + in_code - man) << man;
	size_t first = t->x == t->y;
	clear_half(t, side, row);
	empty(t, side, row, t->x, exp - in_code);
	if (t->x != t->y)
		empty(t, side, row, t->y, 0);
	put(t, side, row, t->x, first, first + t->terms, code, negative);
	put(t, side, row, t->y, 0, 1, small, negative);
}

static size_t target_row(const struct ties *t, unsigned side, size_t i) {
	size_t rows = t->p->rows[side];
	return (t->carrier[side] + (i + 1) * rows / (t->targets[side] + 1)) % rows;
}

/* ---- verification ---- */

/* The product of a target and the carrier, in units; exact, like all of the regime. */
static double units(const struct ties *t, unsigned side, size_t row) {
	size_t own = row_of(t, side, row), other = row_of(t, 1 - side, t->carrier[1 - side]);
	size_t from = t->p->block * MX_BLOCK, to = from + t->p->blocks * MX_BLOCK;
	double sum = 0;
	for (size_t k = from; k < to; k++)
		sum += operand_value(t->side[side].o, own, k) *
		       operand_value(t->side[1 - side].o, other, k);
	return ldexp(sum, -t->side[0].base - t->side[1].base);
}

static int plant_side(const struct ties *t, unsigned side, size_t line, double whole,
                      struct mx_error *err) {
	for (size_t i = 0; i < t->targets[side]; i++, line = (line + 1) % LINES) {
		unsigned small = line % 2 ? 1 : 3;
		bool negative = line / 2;
		size_t row = target_row(t, side, i);
		plant(t, side, row, small, negative);
		if (units(t, side, row) != (negative ? -1 : 1) * (whole + small))
			return mx_fail(err, "exact regime: %s does not hold its tie",
			               t->side[side].o->codes->name);
	}
	return 0;
}

int plant_ties(const struct exact_side side[2], const struct product *p, size_t index,
               mx_buffer_type output, struct stream s, struct mx_error *err) {
	unsigned digits = (unsigned)dtype_width(output).digits;
	struct draw d = draw_at(s, DRAW_OPERAND, index, 0);
	struct ties t = { .side = side, .p = p };
	bool torn = p->split % 2; /* X and Y may be in two splits of K */
	if (output == MX_DT_F32 || torn || !p->whole || !p->rows[0] || !p->rows[1])
		return 0;
	t.y = t.x = p->block + 2 * draw_below(d.w[1], (uint32_t)(p->whole / 2));
	t.x += p->whole > 1;
	if (!fit(&t, digits))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		size_t most = p->rows[i] / 2;
		t.carrier[i] = d.w[2 + i] % p->rows[i];
		t.targets[i] = most < LINES ? most : LINES;
	}
	for (unsigned i = 0; i < 2; i++)
		if (t.targets[1 - i])
			plant(&t, i, t.carrier[i], 1, false);
	return plant_side(&t, 1, 0, (double)(1u << digits), err) ||
	                       plant_side(&t, 0, t.targets[1] % LINES, (double)(1u << digits), err)
	               ? -1
	               : 0;
}
