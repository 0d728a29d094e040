/* Data of a buffer of any type, by the regime, for references.
 *
 * exact: integers from -8 to 8, all of i8, or codes of FP4. Products of two of them are integers
 * (of 1/4 for FP4) of at most 144, so that no sum of 2^16 of them rounds. Scales are 1/2, 1 and 2.
 *
 * general: normal deviates with deviation 1, rounded to the type; for types of 8 bits or less,
 * codes of magnitudes from 1/16 to 8, as far as the type has them. Scales are in [1/8, 8), those of
 * attention and of a mixture of experts in [1/16, 1/2), so that scores are near 1; there scales of
 * i8 are in [2^-10, 2^-7).
 *
 * special: the same, but a quarter of the elements are zeros of both signs, and the smallest
 * subnormal and normal numbers of both signs. Neither infinities nor NaN. */
#include "draw.h"
#include "dtype.h"
#include "reference.h"

#include <math.h>
#include <string.h>

/* The code of a floating-point type: fields below the sign. */
struct shape {
	unsigned bits, mantissa, bias, most; /* most: the largest finite code */
};

static bool shape_of(mx_buffer_type type, struct shape *s) {
	static const struct shape shapes[] = {
		[MX_DT_E4M3] = { 8, 3, 7, 0x7e },      [MX_DT_E5M2] = { 8, 2, 15, 0x7b },
		[MX_DT_E2M3] = { 6, 3, 1, 31 },        [MX_DT_E3M2] = { 6, 2, 3, 31 },
		[MX_DT_E2M1] = { 4, 1, 1, 7 },         [MX_DT_E4M3FNUZ] = { 8, 3, 8, 0x7f },
		[MX_DT_E5M2FNUZ] = { 8, 2, 16, 0x7f }, [MX_DT_BF16] = { 16, 7, 127, 0x7f7f },
		[MX_DT_F16] = { 16, 10, 15, 0x7bff },  [MX_DT_F32] = { 32, 23, 127, 0x7f7fffff },
		[MX_DT_E5M3] = { 8, 3, 15, 0xfe },
		[MX_DT_U64] = { 0, 0, 0, 0 },
	};
	*s = shapes[type];
	return s->bits != 0;
}

/* The code of the number, or of the one below it in magnitude; 0 below the normal ones. */
static uint32_t code_of(const struct shape *s, double x) {
	int exponent;
	double fraction = frexp(fabs(x), &exponent);
	int field = exponent - 1 + (int)s->bias;
	uint32_t sign = signbit(x) ? 1u << (s->bits - 1) : 0;
	if (x == 0 || field < 1)
		return 0;
	uint32_t code = (uint32_t)field << s->mantissa |
	                (uint32_t)ldexp(fraction * 2 - 1, (int)s->mantissa);
	return sign | (code > s->most ? s->most : code);
}

/* The sum of twelve uniforms, less their mean: deviation 1. */
static double deviate(struct draw d) {
	int sum = -12 * 1023 / 2;
	for (int i = 0; i < 4; i++)
		sum += (d.w[i] & 1023) + (d.w[i] >> 10 & 1023) + (d.w[i] >> 20 & 1023);
	return ldexp(sum, -10) + ldexp((double)(d.w[0] >> 30), -12);
}

static uint32_t end_of(const struct shape *s, uint32_t word) {
	const uint32_t ends[] = { 0, 1, 1u << s->mantissa };
	uint32_t end = ends[draw_below(word, 3)];
	bool unsigned_zero = s->bits == 8 && s->most == 0x7f; /* FNUZ: 0x80 is NaN */
	uint32_t sign = word & 1 && (end || !unsigned_zero) ? 1u << (s->bits - 1) : 0;
	return sign | end;
}

static uint32_t small_float(const struct shape *s, struct draw d) {
	int top = (int)(s->most >> s->mantissa) - 1;
	int drawn = (int)s->bias + 2 - (int)draw_below(d.w[0], 7);
	uint32_t field = (uint32_t)(drawn < 0 ? 0 : drawn < top ? drawn : top);
	uint32_t mantissa = d.w[1] & ((1u << s->mantissa) - 1);
	uint32_t code = field << s->mantissa | mantissa;
	return code && d.w[2] & 1 ? code | 1u << (s->bits - 1) : code;
}

static uint32_t element(const struct shape *s, mx_regime regime, struct draw d) {
	if (regime == MX_REGIME_EXACT && s->bits == 4)
		return d.w[0] & 15;
	if (regime == MX_REGIME_EXACT)
		return code_of(s, (double)draw_below(d.w[0], 17) - 8);
	if (regime == MX_REGIME_SPECIAL && d.w[3] < UINT32_MAX / 4)
		return end_of(s, d.w[2]);
	return s->bits > 8 ? code_of(s, deviate(d)) : small_float(s, d);
}

/* Of six powers of two from 2^least on, or of three if it is below 2^-3. */
static uint32_t scale(const struct shape *s, mx_regime regime, int least, struct draw d) {
	bool exact = regime == MX_REGIME_EXACT;
	int exponent = exact ? (int)draw_below(d.w[0], 3) - 1
	                     : (int)draw_below(d.w[0], least < -3 ? 3 : 6) + least;
	return code_of(s, ldexp(exact ? 1 : 1 + d.w[1] * 0x1p-32, exponent));
}

/* e8m0 */
static uint32_t power(mx_regime regime, int least, struct draw d) {
	if (regime == MX_REGIME_EXACT)
		return 126 + draw_below(d.w[0], 3);
	return (uint32_t)(127 + least) + draw_below(d.w[0], least < -3 ? 3 : 6);
}

/* Of a product whose bits are judged: codes from `least` to `most`, so far apart that sums round.
 * `special` has the ends of the type too, of which `nan` is the last. */
static uint32_t wide_scale(uint32_t least, uint32_t most, uint32_t nan, mx_regime regime,
                           struct draw d) {
	const uint32_t ends[] = { 0, 1, nan - 1, nan };
	if (regime == MX_REGIME_SPECIAL && d.w[3] < UINT32_MAX / 512)
		return ends[d.w[2] & 3];
	return least + draw_below(d.w[0], most - least + 1);
}

static void put(uint8_t *line, size_t i, unsigned bits, uint32_t code) {
	size_t bit = i * bits;
	for (unsigned k = 0; k < bits; k += 8 < bits ? 8 : bits, bit += 8) {
		uint32_t part = (bits < 8 ? code << bit % 8 : code >> k) & 0xffff;
		unsigned mask = bits < 8 ? ((1u << bits) - 1) << bit % 8 : 0xff;
		line[bit / 8] = (uint8_t)((line[bit / 8] & ~mask) | (part & mask));
		if (mask > 0xff)
			line[bit / 8 + 1] = (uint8_t)((line[bit / 8 + 1] & ~(mask >> 8)) |
			                              ((part & mask) >> 8));
	}
}

static bool is_scale(int slot) {
	return slot == MX_SLOT_A_SCALE || slot == MX_SLOT_B_SCALE || slot == MX_SLOT_Q_SCALE ||
	       slot == MX_SLOT_K_SCALE || slot == MX_SLOT_V_SCALE || slot == MX_SLOT_X_SCALE ||
	       slot == MX_SLOT_W1_SCALE || slot == MX_SLOT_W2_SCALE;
}

/* Where the results go through exp or silu, scales are such that these are not at their ends. */
static int exponent_of(const struct mx_plan *p, int slot) {
	mx_slot of = slot == MX_SLOT_X_SCALE ? MX_SLOT_X : MX_SLOT_W1;
	if (slot < MX_SLOT_Q)
		return -3;
	bool integers = (slot == MX_SLOT_X_SCALE || slot == MX_SLOT_W1_SCALE) &&
	                p->buffers[p->reference.slot[of]].type == MX_DT_I8;
	return integers ? -10 : -4;
}

static void fill_line(const struct mx_plan *p, unsigned i, struct stream s, size_t line,
                      uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	size_t n = b->order == MX_ORDER_COL ? b->rows : b->cols;
	struct shape shape;
	bool floating = shape_of(b->type, &shape);
	int slot = reference_slot_of(p->c, i);
	bool scales = is_scale(slot) || dtype_is_scale(b->type);
	bool wide = scales && p->c->verdict.instruction && p->regime != MX_REGIME_EXACT;
	int least = scales ? exponent_of(p, slot) : -3;
	for (size_t k = 0; k < n; k++) {
		struct draw d = draw_at(s, DRAW_ELEMENT, line, k);
		if (b->type == MX_DT_F64) {
			double x = p->regime == MX_REGIME_EXACT ? (double)draw_below(d.w[0], 17) - 8
			                                        : deviate(d);
			memcpy(bytes + k * sizeof x, &x, sizeof x);
		} else if (wide) {
			bytes[k] = (uint8_t)(floating ? wide_scale(1, shape.most, shape.most + 1,
			                                           p->regime, d)
			                              : wide_scale(103, 151, 0xff, p->regime, d));
		} else if (b->type == MX_DT_E8M0) {
			bytes[k] = (uint8_t)power(p->regime, least, d);
		} else if (floating) {
			put(bytes, k, shape.bits,
			    scales ? scale(&shape, p->regime, least, d)
			           : element(&shape, p->regime, d));
		} else {
			size_t width = dtype_bytes(b->type, 1);
			memcpy(bytes + k * width, &d, width);
		}
	}
}

void fill_typed(const struct mx_plan *p, unsigned i, uint64_t seed, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	struct stream s = draw_stream(seed, p->c->name, b->name);
	for (size_t line = 0; line < b->lines; line++)
		fill_line(p, i, s, line, bytes + mx_buffer_data(b, line));
}
