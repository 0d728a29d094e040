/* The elements of a scaled block: the code of x with a given scale. */
#include "number.h"
#include "quantize.h"

/* FP4 and FP6: integer rounding without a check for NaN rebiases and rounds the bits
 * of a NaN like those of a number and keeps the low byte (torchao
 * _f32_to_floatx_unpacked; AITER f32_to_mxfp4). FP8: PyTorch's conversions give all
 * ones for NaN (c10/util/Float8_e5m2.h). */
mx_elem mx_software_nan(const struct mx_format_info *t, mx_f32 nan) {
	uint32_t magnitude = 0x7F;
	if (t->specials == MX_FINITE) {
		uint32_t rebiased = mx_f32_magnitude(nan) - ((127u - t->bias) << MX_F32_MAN);
		magnitude = mx_shift_round(rebiased, MX_F32_MAN - t->man_bits, MX_RNE, 0) & 0xFF;
	}
	return (mx_elem){ magnitude | nan.v >> 31 << (t->bits - 1) };
}

/* x * 2^(127-s). It is inexact only below 2^-126, which affects no rounding: the least
 * element is 2^-16, and MX_SR uses 32 bits below that. */
static mx_f32 descaled(mx_f32 x, mx_e8m0 s) {
	return mx_f32_scale(x, 127 - s.v);
}

static mx_elem encode_divide(mx_format f, mx_f32 x, mx_e8m0 s, mx_rounding r, uint32_t random) {
	mx_f32 q = descaled(x, s);
	if (s.v == 0xFF)
		q.v = MX_F32_NAN | (x.v & MX_F32_SIGN);
	return mx_elem_encode(f, q, r, MX_SATURATE, random);
}

/* The code of a quotient or product, saturating; NaN by its bits. */
static mx_elem encode_software(mx_format f, mx_f32 q, mx_rounding r, uint32_t random) {
	if (mx_f32_magnitude(q) > MX_F32_INF)
		return mx_software_nan(mx_format_info(f), q);
	return mx_elem_encode(f, q, r, MX_SATURATE, random);
}

/* The NaN of scale 0xFF, 0x7F800001, quieted. */
static const mx_f32 scale_nan = { 0x7FC00001 };

/* PyTorch's product of two NaNs is the NaN of the scale. */
static mx_f32 times_reciprocal(mx_f32 x, mx_e8m0 s) {
	return s.v == 0xFF ? scale_nan : descaled(x, s);
}

/* PyTorch's quotient of two NaNs is the NaN of x. */
static mx_f32 by_scale(mx_f32 x, mx_e8m0 s) {
	return s.v == 0xFF && mx_f32_magnitude(x) <= MX_F32_INF ? scale_nan : descaled(x, s);
}

/* x * 0, or x / infinity. Infinity becomes a positive NaN, as on gfx950 (x86 sets the sign). */
static mx_f32 times_zero(mx_f32 x) {
	uint32_t magnitude = mx_f32_magnitude(x);
	if (magnitude > MX_F32_INF)
		return mx_f32_scale(x, 0);
	return (mx_f32){ magnitude == MX_F32_INF ? MX_F32_NAN : x.v & MX_F32_SIGN };
}

/* x / scale; scale 0xFF is infinity. */
static mx_f32 by_infinite_scale(mx_f32 x, mx_e8m0 s) {
	return s.v == 0xFF ? times_zero(x) : descaled(x, s);
}

/* x / max(scale, 2^-126); scale 0xFF is infinity. */
static mx_f32 by_normal_scale(mx_f32 x, mx_e8m0 s) {
	return s.v == 0 ? mx_f32_scale(x, 126) : by_infinite_scale(x, s);
}

/* x * 2^(127-s), but x itself for s = 0. */
static mx_f32 by_unit_at_zero(mx_f32 x, mx_e8m0 s) {
	return s.v ? times_reciprocal(x, s) : x;
}

/* compressed-tensors packs FP4 and FP6 by value. NaN matches no value and becomes a zero.
 * FP4 is multiplied by the sign of the quotient, so -0 becomes +0. */
static mx_elem encode_infinite(mx_format f, mx_f32 x, mx_e8m0 s, mx_rounding r, uint32_t random) {
	const struct mx_format_info *t = mx_format_info(f);
	mx_f32 q = by_infinite_scale(x, s);
	if (mx_f32_magnitude(q) > MX_F32_INF && t->specials == MX_FINITE)
		return (mx_elem){ t->bits == 6 ? 0x20 : q.v >> 31 << (t->bits - 1) };
	if (q.v == MX_F32_SIGN && t->bits == 4)
		return (mx_elem){ 0 };
	return mx_elem_encode(f, q, r, MX_SATURATE, random);
}

/* triton_kernels: x times a reciprocal that is 0 for scale 0 and scale infinity. */
static mx_elem encode_zero_at_ends(mx_format f, mx_f32 x, mx_e8m0 s, mx_rounding r,
                                   uint32_t random) {
	mx_f32 q = s.v == 0 ? times_zero(x) : by_infinite_scale(x, s);
	return mx_elem_encode(f, q, r, MX_SATURATE, random);
}

/* Ties away as floor(|q| + 0.5) in f32, q in units of the least element. For the f32 just
 * below 0.5 the sum rounds to 1; all other sums keep their floor. */
static mx_elem encode_half_up(mx_format f, mx_f32 x, mx_e8m0 s, mx_rounding r, uint32_t random) {
	const struct mx_format_info *t = mx_format_info(f);
	uint32_t half = (uint32_t)(127 - t->bias - t->man_bits) << MX_F32_MAN;
	if (r == MX_RNA && s.v < 0xFF && mx_f32_magnitude(descaled(x, s)) == half - 1)
		return (mx_elem){ 1 | x.v >> 31 << (t->bits - 1) };
	return encode_divide(f, x, s, r, random);
}

/* The limit max * 2^(s-127) in f32, divided by the scale. The source clamps x and then
 * divides; encode_clamp() divides first. */
static uint32_t soft_limit(mx_format f, mx_e8m0 s) {
	mx_f32 max = mx_elem_to_f32(f, (mx_elem){ mx_max_finite(&mx_types[f]) });
	if (s.v == 0)
		return 0;
	return mx_f32_scale(max, s.v - 127).v == MX_F32_INF ? MX_F32_INF : max.v;
}

static mx_elem encode_clamp(mx_format f, mx_f32 x, mx_e8m0 s, mx_rounding r, uint32_t random) {
	if (mx_format_info(f)->specials == MX_FINITE)
		return encode_divide(f, x, s, r, random);
	uint32_t limit = soft_limit(f, s);
	mx_f32 q = descaled(x, s);
	if (mx_f32_magnitude(q) > MX_F32_INF)
		q.v = limit | MX_F32_SIGN;
	else if (mx_f32_magnitude(q) > limit)
		q.v = limit | (q.v & MX_F32_SIGN);
	return mx_elem_encode(f, q, r, MX_OVERFLOW, random);
}

mx_elem mx_scaled_encode(mx_recipe r, mx_format f, mx_f32 x, mx_e8m0 scale, mx_rounding o,
                         uint32_t random) {
	switch (mx_recipe_info(r)->scaling) {
	case MX_DIVIDE: break;
	case MX_RECIPROCAL: return encode_software(f, times_reciprocal(x, scale), o, random);
	case MX_CLAMP: return encode_clamp(f, x, scale, o, random);
	case MX_QUOTIENT: return encode_software(f, by_scale(x, scale), o, random);
	case MX_HALF_UP: return encode_half_up(f, x, scale, o, random);
	case MX_NORMAL_SCALE: return encode_software(f, by_normal_scale(x, scale), o, random);
	case MX_UNIT_AT_ZERO: return encode_software(f, by_unit_at_zero(x, scale), o, random);
	case MX_INFINITE_SCALE: return encode_infinite(f, x, scale, o, random);
	case MX_ZERO_AT_ENDS: return encode_zero_at_ends(f, x, scale, o, random);
	}
	return encode_divide(f, x, scale, o, random);
}
