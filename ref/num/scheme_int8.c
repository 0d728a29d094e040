/* MXINT8: two's complement times 2^-6, and an E8M0 scale for each 32. */
#include "scheme.h"

/* The byte of floor(log2 amax): emax of INT8 is 0, and subnormals are 2^-127. */
static uint32_t floor_byte(uint32_t u) {
	return u >= MX_F32_INF ? 0xFF : u >> MX_F32_MAN;
}

/* amax is rounded at the 8th bit of its mantissa. 0 counts as the smallest normal f32, which is 0
 * in f16; infinity counts as 2^127. */
static uint32_t even_byte(uint32_t u, mx_dtype d) {
	if (u > MX_F32_INF)
		return 0xFF;
	if (!u)
		return d != MX_DTYPE_F16;
	uint32_t byte = (u + (1 << 14)) >> MX_F32_MAN;
	return byte < 0xFF ? byte : 0xFE;
}

static struct mx_factor scale(const struct mx_scheme_call *c, const struct mx_tile *b) {
	uint32_t u = mx_tile_amax(c, b).v;
	return (struct mx_factor){ c->s->rule.even ? even_byte(u, c->x->dtype) : floor_byte(u) };
}

static mx_elem code(const struct mx_scheme_call *c, const struct mx_factor *f, mx_f32 x, size_t i) {
	const uint32_t tie = 0x3FFF0000; /* 127.5 * 2^-6 goes to the even 128 */
	mx_f32 y = mx_f32_scale(x, 127 - (int)f->stored);
	bool negative = y.v & MX_F32_SIGN;
	(void)i;
	if (f->stored == 0xFF)
		y.v = MX_F32_NAN | (x.v & MX_F32_SIGN);
	else if (c->s->rule.least_code == -128 && negative && mx_f32_magnitude(y) >= tie)
		return (mx_elem){ 0x80 };
	return mx_elem_from_f32(MX_INT8, y);
}

static mx_f32 value(const struct mx_scheme_call *c, uint32_t stored, mx_elem code, size_t i) {
	(void)c, (void)i;
	if (stored == 0xFF)
		return (mx_f32){ MX_F32_NAN };
	return mx_f32_scale(mx_elem_to_f32(MX_INT8, code), (int)stored - 127);
}

const struct mx_scheme_family mx_family_int8 = { .scale = scale, .code = code, .value = value };
