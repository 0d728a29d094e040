/* FP8 elements with an f32 scale for each block: the rules in the columns of schemes.def. */
#include "scheme.h"

static const mx_f32 one = { 0x3F800000 };

static mx_f32 max_of(const struct mx_scheme_call *c) {
	uint32_t code = mx_max_finite(&mx_types[c->format]);
	bool less = c->s->rule.fnuz_224 && c->format == MX_E4M3FNUZ;
	return mx_elem_to_f32(c->format, (mx_elem){ code - less });
}

static mx_f32 quotient(const struct mx_scheme_call *c, mx_f32 x, mx_f32 y, bool narrow) {
	return narrow ? mx_in_input_type(c, mx_f32_div(x, y)) : mx_f32_div(x, y);
}

static mx_f32 scale_of(const struct mx_scheme_call *c, mx_f32 amax) {
	const struct mx_scheme_rule *r = &c->s->rule;
	switch (r->scale) {
	case MX_SCALE_QUOTIENT: return quotient(c, amax, max_of(c), r->narrow_scale);
	case MX_SCALE_PRODUCT: return mx_f32_mul(amax, mx_f32_div(one, max_of(c)));
	case MX_SCALE_INVERSE:
	case MX_SCALE_RESTORED: return mx_f32_div(max_of(c), amax);
	case MX_SCALE_ONE: break;
	}
	return one;
}

static uint32_t epsilon(mx_dtype d) {
	return d == MX_DTYPE_BF16 ? 0x3C000000 : d == MX_DTYPE_F16 ? 0x3A800000 : 0x34000000;
}

static mx_f32 not_too_small(const struct mx_scheme_call *c, mx_f32 s) {
	mx_f32 least = mx_f32_div(one, mx_f32_scale(max_of(c), 9));
	switch (c->s->rule.small) {
	case MX_SMALL_LEAST: return s.v < least.v ? least : s;
	case MX_SMALL_UNIT: return s.v ? s : one;
	case MX_SMALL_EPSILON: return s.v ? s : (mx_f32){ epsilon(c->x->dtype) };
	case MX_SMALL_ANY: break;
	}
	return s;
}

static struct mx_factor scale(const struct mx_scheme_call *c, const struct mx_tile *b) {
	const struct mx_scheme_rule *r = &c->s->rule;
	mx_f32 amax = mx_tile_amax(c, b);
	if (amax.v < r->least_amax)
		amax.v = r->least_amax;
	mx_f32 s = not_too_small(c, scale_of(c, amax));
	return (struct mx_factor){
		.stored = r->scale == MX_SCALE_RESTORED ? mx_f32_div(one, s).v : s.v,
		.by = r->code == MX_BY_TIMES ? mx_f32_div(one, s) : s,
	};
}

static mx_elem code(const struct mx_scheme_call *c, const struct mx_factor *f, mx_f32 x, size_t i) {
	const struct mx_scheme_rule *r = &c->s->rule;
	mx_f32 max = max_of(c), y = r->code == MX_BY_DIVIDE
	                                    ? quotient(c, x, f->by, r->narrow_element)
	                                    : mx_f32_mul(x, f->by);
	(void)i;
	if (mx_f32_magnitude(y) > MX_F32_INF && r->of_nan != MX_OF_NAN_NAN)
		y.v = r->of_nan == MX_OF_NAN_MAX ? max.v : max.v | MX_F32_SIGN;
	else if (mx_f32_magnitude(y) > max.v && mx_f32_magnitude(y) <= MX_F32_INF)
		y.v = max.v | (y.v & MX_F32_SIGN);
	return mx_elem_from_f32(c->format, y);
}

static mx_f32 value(const struct mx_scheme_call *c, uint32_t stored, mx_elem code, size_t i) {
	mx_f32 x = mx_elem_to_f32(c->format, code), s = { stored };
	(void)i;
	return c->s->rule.scale == MX_SCALE_INVERSE ? mx_f32_div(x, s) : mx_f32_mul(x, s);
}

const struct mx_scheme_family mx_family_fp8 = { .scale = scale, .code = code, .value = value };
