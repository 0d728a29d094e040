/* NVFP4: E2M1 elements, an E4M3 scale for each 16 and an f32 scale of the tensor, by the rules of
 * several implementations. */
#include "scheme.h"

static const mx_f32 one = { 0x3F800000 }, six = { 0x40C00000 };
static const mx_f32 product = { 0x45280000 }; /* 2688: 6 * 448, the largest element and scale */

/* ---- E4M3 scales ---- */

static uint32_t e4m3(mx_f32 x) {
	return mx_elem_from_f32(MX_E4M3, x).v;
}

static mx_f32 of_e4m3(uint32_t stored) {
	return mx_elem_to_f32(MX_E4M3, (mx_elem){ stored });
}

/* PyTorch widens the bits of a NaN too (c10/util/Float8_e4m3fn.h); torchao then rounds these bits
 * to E2M1. */
static mx_f32 torch_of_e4m3(uint32_t stored) {
	return stored == 0x7F ? (mx_f32){ 0x7FF00000 } : of_e4m3(stored);
}

/* x is not negative; NaN stays. */
static mx_f32 at_least(mx_f32 x, uint32_t least) {
	return x.v < least ? (mx_f32){ least } : x;
}

/* ---- rules: the scale of the tensor; the scale of a block with its factor or divisor ---- */

static mx_f32 amax_over_product(const struct mx_scheme_call *c, mx_f32 amax) {
	(void)c;
	return mx_f32_div(amax, product);
}

/* E4M3_EPS of the source is the smallest normal, 2^-6. */
static struct mx_factor torchao_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	mx_f32 s = mx_f32_div(mx_f32_div(amax, six), c->tensor);
	uint32_t q = e4m3(at_least(s, 0x3C800000));
	return (struct mx_factor){ q, mx_f32_div(mx_f32_div(one, c->tensor), torch_of_e4m3(q)) };
}

static struct mx_factor torchao_single_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	uint32_t q = e4m3(at_least(mx_f32_div(amax, six), 0x3C800000));
	(void)c;
	return (struct mx_factor){ q, mx_f32_div(one, torch_of_e4m3(q)) };
}

/* A block of zeros has scale 1; the least scale is 2^-9. */
static struct mx_factor modelopt_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	mx_f32 s = mx_f32_div(amax, mx_f32_mul(six, c->tensor));
	uint32_t q = e4m3(s.v ? at_least(s, 0x3B000000) : one);
	return (struct mx_factor){ q, mx_f32_mul(of_e4m3(q), c->tensor) };
}

/* amax is bounded by the smallest normal of the input's type; a scale that is not finite is 1.
 * PyTorch divides a Python number by a tensor as the tensor's reciprocal times the number. */
static mx_f32 compressed_tensors_tensor(const struct mx_scheme_call *c, mx_f32 amax) {
	uint32_t tiny = c->x->dtype == MX_DTYPE_F16 ? 0x38800000 : 0x00800000;
	mx_f32 inverse = mx_in_input_type(c, mx_f32_div(one, at_least(amax, tiny)));
	mx_f32 g = mx_in_input_type(c, mx_f32_mul(inverse, product));
	return g.v >= MX_F32_INF ? one : g;
}

/* A scale 0 becomes 0.125. */
static struct mx_factor compressed_tensors_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	mx_f32 local = mx_in_input_type(c, mx_f32_div(amax, six));
	uint32_t q = e4m3(mx_f32_mul(c->tensor, local));
	if (!q)
		q = e4m3((mx_f32){ 0x3E000000 });
	return (struct mx_factor){ q, mx_f32_div(of_e4m3(q), c->tensor) };
}

/* The caller of the kernel computes this in PyTorch, as the reciprocal times a number. */
static mx_f32 vllm_tensor(const struct mx_scheme_call *c, mx_f32 amax) {
	(void)c;
	return mx_f32_mul(mx_f32_div(one, amax), product);
}

static mx_f32 flushed(mx_f32 x) {
	return mx_f32_magnitude(x) < 0x00800000 ? (mx_f32){ x.v & MX_F32_SIGN } : x;
}

/* rcp.approx.ftz.f32: PTX allows an error of one unit in the last place; none is assumed. */
static mx_f32 reciprocal(mx_f32 x) {
	return flushed(mx_f32_div(one, flushed(x)));
}

static struct mx_factor vllm_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	uint32_t q = e4m3(mx_f32_mul(c->tensor, mx_f32_mul(amax, reciprocal(six))));
	mx_f32 by = { 0 };
	if (q)
		by = reciprocal(mx_f32_mul(of_e4m3(q), reciprocal(c->tensor)));
	return (struct mx_factor){ q, by };
}

const struct mx_nvfp4_rule mx_nvfp4_torchao = { amax_over_product, torchao_scale };
const struct mx_nvfp4_rule mx_nvfp4_torchao_single = { NULL, torchao_single_scale };
const struct mx_nvfp4_rule mx_nvfp4_modelopt = { amax_over_product, modelopt_scale, .divides = true,
	                                         .loses_sign = true, .of_nan = MX_NAN_LARGEST };
const struct mx_nvfp4_rule mx_nvfp4_compressed_tensors = {
	compressed_tensors_tensor, compressed_tensors_scale, .divides = true,
	.inverse = true,           .loses_sign = true,       .of_nan = MX_NAN_ZERO
};
const struct mx_nvfp4_rule mx_nvfp4_vllm = { vllm_tensor, vllm_scale, .inverse = true,
	                                     .of_nan = MX_NAN_LARGEST };

/* ---- the family ---- */

static mx_f32 tensor_scale(const struct mx_scheme_call *c, mx_f32 amax) {
	return c->s->rule.nvfp4->tensor(c, amax);
}

static struct mx_factor scale(const struct mx_scheme_call *c, const struct mx_tile *b) {
	return c->s->rule.nvfp4->scale(c, mx_tile_amax(c, b));
}

static mx_elem code(const struct mx_scheme_call *c, const struct mx_factor *f, mx_f32 x, size_t i) {
	const struct mx_nvfp4_rule *r = c->s->rule.nvfp4;
	/* The product of two NaNs is the NaN of the scale, as on x86. */
	mx_f32 y = r->divides ? mx_f32_div(x, f->by) : mx_f32_mul(f->by, x);
	(void)i;
	if (mx_f32_magnitude(y) > MX_F32_INF && r->of_nan == MX_NAN_BITS)
		return mx_software_nan(&mx_types[MX_E2M1], y);
	if (mx_f32_magnitude(y) > MX_F32_INF)
		y = r->of_nan == MX_NAN_LARGEST ? six : (mx_f32){ 0 };
	if (mx_f32_magnitude(y) == 0 && r->loses_sign)
		y.v = 0;
	return mx_elem_from_f32(MX_E2M1, y);
}

static mx_f32 value(const struct mx_scheme_call *c, uint32_t stored, mx_elem code, size_t i) {
	const struct mx_nvfp4_rule *r = c->s->rule.nvfp4;
	mx_f32 s = of_e4m3(stored);
	(void)i;
	if (r->tensor)
		s = r->inverse ? mx_f32_div(s, c->tensor) : mx_f32_mul(c->tensor, s);
	return mx_f32_mul(mx_elem_to_f32(MX_E2M1, code), s);
}

const struct mx_scheme_family mx_family_nvfp4 = { tensor_scale, scale, code, value };
