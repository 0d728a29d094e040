/* Planting: elements that a product must contain for every seed (results.def).
 *
 * A planted row has numbers at every second k, even ones in A and odd ones in B, and zeros between
 * them. So a planted row of A and one of B have no nonzero product, but an ordinary row meets half
 * of either. At two adjacent k of some blocks both rows have an element. The carrier has 1 there,
 * and the target the values of the table, under the scales that the line then requires.
 *
 * The carrier's scales are 2^1 in a block X and 2^-digits in the block before it, Y; both are
 * moderate enough for ordinary results of a product of one row. With them the target's scale
 * reaches the ends of the output's range. If the output is narrower than f32, Y's scale does not
 * reach the sums that underflow in f32, so a third block (Z) has 2^-24. */
#include "plant.h"
#include "dtype.h"

#include <math.h>
#include <string.h>

enum { X_EXP = 1, Z_EXP = -24, BIAS = 127, NAN_SCALE_BYTE = 0xFF };

/* ---- the table ---- */

enum rule { ANY, OPERANDS, NEGATIVE, NAN_SCALE, ZERO_INF };

struct result {
	const char *text;
	double x[2], y[2];
	int xe, ye;
	enum rule rule;
};

#define MX_RESULT(id, ...) RESULT_##id,
enum {
#include "results.def"
	RESULTS
};
#undef MX_RESULT

static struct result result_at(unsigned i, struct dtype_width w, int mid) {
	int digits = w.digits, low = w.low, top = w.high;
#define MX_RESULT(id, x0, x1, xe, y0, y1, ye, rule, text)                                          \
	{ text, { x0, x1 }, { y0, y1 }, xe, ye, rule },
	const struct result all[RESULTS] = {
#include "results.def"
	};
#undef MX_RESULT
	return all[i];
}

/* An exponent within the reach of scales, with 2^(mid + digits) normal and far from Inf. */
static int draw_mid(struct dtype_width w, struct draw d) {
	int least = w.low + 2 > -120 ? w.low + 2 : -120, most = w.high - 3 - w.digits;
	most = most < 100 ? most : 100;
	return least + (int)draw_below(d.w[0], (uint32_t)(most - least) + 1);
}

/* ---- codes ---- */

/* The code of a value of the format; zeros are distinguished by sign. */
static bool code_of(mx_format f, double x, mx_elem *code) {
	for (unsigned v = 0; v < 1u << mx_format_info(f)->bits; v++) {
		mx_f32 bits = mx_elem_to_f32(f, (mx_elem){ v });
		float value;
		memcpy(&value, &bits, sizeof value);
		bool same = isnan(x) ? isnan(value) : value == x && !signbit(value) == !signbit(x);
		if (same)
			return *code = (mx_elem){ v }, true;
	}
	return false;
}

static void put(const struct operand *o, size_t row, size_t col, double x) {
	mx_elem code = { 0 };
	code_of(o->format, x, &code);
	mx_elem_set(o->format, operand_row(o, row), col, code);
}

static bool has_sign(const struct operand *o, size_t row, size_t col) {
	unsigned sign = 1u << (mx_format_info(o->format)->bits - 1);
	return mx_elem_get(o->format, operand_row(o, row), col).v & sign;
}

static void set_sign(const struct operand *o, size_t row, size_t col, bool negative) {
	unsigned sign = 1u << (mx_format_info(o->format)->bits - 1);
	unsigned code = mx_elem_get(o->format, operand_row(o, row), col).v & (sign - 1);
	mx_elem_set(o->format, operand_row(o, row), col,
	            (mx_elem){ negative ? sign | code : code });
}

/* ---- positions ---- */

struct positions {
	const struct product *p;
	const struct operand *const *side;
	size_t carrier[2], targets[2]; /* rows within the product */
	size_t y, x, z;                /* blocks; equal to y if there is none */
	size_t pair; /* in a block, elements 2 pair and 2 pair + 1 of both rows meet */
	int y_exp;   /* exponent of the carrier's scale in block y; X_EXP in x, Z_EXP in z */
};

/* Whether the line's Y is too small for the target's scale in block y. */
static bool needs_z(const struct positions *at, const struct result *r) {
	return r->ye - at->y_exp < -BIAS;
}

static bool applies(const struct positions *at, unsigned side, const struct result *r) {
	const double values[] = { r->x[0], r->x[1], r->y[0], r->y[1],
		                  r->rule == ZERO_INF ? INFINITY : 1 };
	mx_elem code;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (!code_of(at->side[side]->format, values[i], &code))
			return false;
	return (r->x[0] == 0 || at->x != at->y) && (!needs_z(at, r) || at->z != at->y);
}

static size_t count(const struct positions *at, unsigned side, struct dtype_width w) {
	size_t n = 0;
	for (unsigned i = 0; i < RESULTS; i++) {
		struct result r = result_at(i, w, 0);
		n += applies(at, side, &r);
	}
	return n;
}

static struct positions choose_positions(const struct operand *const side[2],
                                         const struct product *p, struct dtype_width w,
                                         struct draw d) {
	struct positions at = {
		.p = p, .side = side, .pair = d.w[0] % (MX_BLOCK / 2), .y_exp = -w.digits
	};
	size_t blocks = p->split % 2 && p->split < p->whole ? p->split : p->whole;
	at.y = at.x = p->block + 2 * draw_below(d.w[1], (uint32_t)(blocks / 2));
	at.x += blocks > 1;
	bool has_z = p->whole > 2 && at.y_exp > Z_EXP;
	at.z = has_z ? p->block + (at.y - p->block + 2) % p->whole : at.y;
	for (unsigned s = 0; s < 2; s++) {
		size_t all = count(&at, s, w), most = p->rows[s] / 2;
		at.carrier[s] = p->rows[s] ? d.w[2 + s] % p->rows[s] : 0;
		at.targets[s] = all < most ? all : most;
	}
	return at;
}

static size_t target_row(const struct positions *at, unsigned side, size_t i) {
	size_t rows = at->p->rows[side];
	return (at->carrier[side] + (i + 1) * rows / (at->targets[side] + 1)) % rows;
}

/* ---- rows ---- */

static void fill_half(const struct positions *at, unsigned side, size_t row) {
	const struct operand *o = at->side[side];
	struct half half = { true, side, at->pair };
	for (size_t b = at->p->block; b < at->p->block + at->p->blocks; b++)
		fill_plain_block(o, at->p->row[side] + row, b, half);
}

/* The two elements of a block that meet, with a scale of 2^exp, or no scale if both are zero. */
static void put_pair(const struct positions *at, unsigned side, size_t row, size_t block,
                     const double value[2], int exp) {
	const struct operand *o = at->side[side];
	size_t r = at->p->row[side] + row, col = block * MX_BLOCK + 2 * at->pair;
	put(o, r, col, value[0]);
	put(o, r, col + 1, value[1]);
	if (value[0] != 0 || value[1] != 0)
		*operand_scale(o, r, block) = (uint8_t)(BIAS + exp);
}

static void fill_carrier(const struct positions *at, unsigned side) {
	static const double ones[2] = { 1, 1 };
	fill_half(at, side, at->carrier[side]);
	if (at->x != at->y)
		put_pair(at, side, at->carrier[side], at->x, ones, X_EXP);
	put_pair(at, side, at->carrier[side], at->y, ones, at->y_exp);
	if (at->z != at->y)
		put_pair(at, side, at->carrier[side], at->z, ones, Z_EXP);
}

static void make_negative(const struct positions *at, unsigned side, size_t row) {
	const struct operand *o = at->side[side], *other = at->side[1 - side];
	size_t r = at->p->row[side] + row, c = at->p->row[1 - side] + at->carrier[1 - side];
	size_t from = at->p->block * MX_BLOCK, to = from + at->p->blocks * MX_BLOCK;
	for (size_t k = from; k < to; k++)
		set_sign(o, r, k, !has_sign(other, c, k));
}

static void fill_target(const struct positions *at, unsigned side, size_t row,
                        const struct result *r) {
	static const double zeros[2];
	const struct operand *o = at->side[side];
	bool low = needs_z(at, r);
	size_t beside = 2 * ((at->pair + MX_BLOCK / 4) % (MX_BLOCK / 2)) + side;
	fill_half(at, side, row);
	if (at->x != at->y)
		put_pair(at, side, row, at->x, r->x, r->xe - X_EXP);
	if (at->z != at->y)
		put_pair(at, side, row, at->z, low ? r->y : zeros, r->ye - Z_EXP);
	put_pair(at, side, row, at->y, low ? zeros : r->y, r->ye - at->y_exp);
	if (r->rule == NEGATIVE)
		make_negative(at, side, row);
	if (r->rule == NAN_SCALE)
		*operand_scale(o, at->p->row[side] + row, at->y) = NAN_SCALE_BYTE;
	if (r->rule == ZERO_INF)
		put(o, at->p->row[side] + row, at->y * MX_BLOCK + beside, INFINITY);
}

/* ---- verification ---- */

static double sum_of(const struct result *r) {
	return ldexp(r->x[0] + r->x[1], r->xe) + ldexp(r->y[0] + r->y[1], r->ye);
}

/* Whether an element's products give the result; doubles are exact, because at most four products
 * are not zero. */
static bool is_result(const struct positions *at, unsigned side, size_t row,
                      const struct result *r) {
	size_t own = at->p->row[side] + row, c = at->p->row[1 - side] + at->carrier[1 - side];
	size_t from = at->p->block * MX_BLOCK, to = from + at->p->blocks * MX_BLOCK;
	double sum = 0;
	double want = sum_of(r);
	bool negative = true;
	for (size_t k = from; k < to; k++) {
		double x = operand_value(at->side[side], own, k) *
		           operand_value(at->side[1 - side], c, k);
		negative &= signbit(x) != 0;
		sum += x;
	}
	if (r->rule == NAN_SCALE || r->rule == ZERO_INF || isnan(want))
		return isnan(sum);
	return sum == want && (r->rule != NEGATIVE || negative);
}

/* Whether a bias can be the result; then the accumulator becomes 0. */
static bool move_to_bias(struct result *r) {
	double sum = sum_of(r);
	if (r->rule != ANY || !isfinite(sum) || (double)(float)sum != sum)
		return false;
	*r = (struct result){ r->text, { 0, 0 }, { 1, -1 }, 0, 0, OPERANDS };
	return true;
}

struct planting {
	struct positions at;
	struct dtype_width output;
	struct stream s;
	size_t index;
	int bias_side;
	unsigned next; /* next line of the table */
	struct planted *planted;
};

static void note(struct planting *p, unsigned side, size_t row, double bias) {
	struct planted *all = p->planted;
	const struct product *of = p->at.p;
	size_t ends[2];
	ends[side] = of->row[side] + row;
	ends[1 - side] = of->row[1 - side] + p->at.carrier[1 - side];
	all->at[all->n].row = ends[0];
	all->at[all->n].col = ends[1];
	all->at[all->n].side = side;
	all->at[all->n++].bias = bias;
}

static int plant_one(struct planting *p, unsigned side, size_t row, struct result r,
                     struct mx_error *err) {
	double sum = sum_of(&r);
	note(p, side, row, p->bias_side == (int)side && move_to_bias(&r) ? sum : -0.0);
	fill_target(&p->at, side, row, &r);
	if (is_result(&p->at, side, row, &r))
		return 0;
	return mx_fail(err, "special regime: %s does not make %s", p->at.side[side]->codes->name,
	               r.text);
}

/* Plants the targets of one side, from the next line of the table on. */
static int plant_side(struct planting *p, unsigned side, struct mx_error *err) {
	for (size_t i = 0; i < p->at.targets[side]; p->next = (p->next + 1) % RESULTS) {
		struct draw d = draw_at(p->s, DRAW_ELEMENT, p->index * 2 + side, i);
		struct result r = result_at(p->next, p->output, draw_mid(p->output, d));
		if (!applies(&p->at, side, &r))
			continue;
		if (plant_one(p, side, target_row(&p->at, side, i), r, err))
			return -1;
		i++;
	}
	return 0;
}

int plant_results(const struct operand *const side[2], const struct product *p, size_t index,
                  mx_buffer_type output, int bias_side, struct stream s, struct planted *planted,
                  struct mx_error *err) {
	struct planting all = { .output = dtype_width(output),
		                .s = s,
		                .index = index,
		                .bias_side = bias_side,
		                .planted = planted };
	planted->n = 0;
	if (!p->whole || !p->rows[0] || !p->rows[1])
		return 0;
	all.at = choose_positions(side, p, all.output, draw_at(s, DRAW_OPERAND, index, 0));
	for (unsigned i = 0; i < 2; i++)
		if (all.at.targets[1 - i])
			fill_carrier(&all.at, i);
	return plant_side(&all, 1, err) || plant_side(&all, 0, err) ? -1 : 0;
}

_Static_assert(2 * RESULTS <= MAX_PLANTED, "each line may be planted in A and in B");
