/* MX6 and MX9: sign and magnitude, with the largest exponent of 16 elements. A pair of elements
 * that both have a smaller exponent uses that exponent minus 1.
 *
 *   stored   15      8 7       0
 *            pair bits exponent + 127 */
#include "scheme.h"

/* Numbers below the smallest normal of the input's type are 0. */
static bool is_flushed(const struct mx_scheme_call *c, uint32_t magnitude) {
	return magnitude < (c->x->dtype == MX_DTYPE_F16 ? 0x38800000u : 0x00800000u);
}

/* The exponent of an element, plus 127. A zero has the exponent of field 0 in the input's type;
 * infinity and NaN count as zero. */
static uint32_t exponent(const struct mx_scheme_call *c, mx_f32 x) {
	uint32_t m = mx_f32_magnitude(x);
	if (is_flushed(c, m) || m >= MX_F32_INF)
		return c->x->dtype == MX_DTYPE_F16 ? 127 - 15 : 0;
	return m >> MX_F32_MAN;
}

/* Element i of a block; 0 after its end. */
static mx_f32 element(const struct mx_scheme_call *c, const struct mx_tile *b, size_t i) {
	return (mx_f32){ i < b->cols ? mx_tensor_get(c->x, b->row, b->col + i) : 0 };
}

static struct mx_factor scale(const struct mx_scheme_call *c, const struct mx_tile *b) {
	uint32_t e[16], max = 0, bits = 0;
	for (size_t i = 0; i < 16; i++) {
		e[i] = exponent(c, element(c, b, i));
		max = e[i] > max ? e[i] : max;
	}
	for (size_t i = 0; i < 16; i += 2)
		bits |= (uint32_t)(e[i] < max && e[i + 1] < max) << i / 2;
	return (struct mx_factor){ max | bits << 8 };
}

static int shift_of(uint32_t stored, size_t i) {
	return (int)(stored & 0xFF) - 127 - (int)(stored >> 8 >> i / 2 & 1);
}

static mx_elem code(const struct mx_scheme_call *c, const struct mx_factor *f, mx_f32 x, size_t i) {
	if (is_flushed(c, mx_f32_magnitude(x)))
		return (mx_elem){ 0 };
	return mx_elem_from_f32(c->format, mx_f32_scale(x, -shift_of(f->stored, i)));
}

static mx_f32 value(const struct mx_scheme_call *c, uint32_t stored, mx_elem code, size_t i) {
	return mx_f32_scale(mx_elem_to_f32(c->format, code), shift_of(stored, i));
}

const struct mx_scheme_family mx_family_pairs = { .scale = scale, .code = code, .value = value };
