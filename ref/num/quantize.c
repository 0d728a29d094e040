/* Quantising a block: the OCP floor recipe and its elements. */
#include "f32.h"

/* Exponent of the largest power of two that is an element [OCP 6.3]. */
static int emax(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	int top = (1 << t->exp_bits) - 1;
	return top - t->bias - (t->specials == MX_IEEE);
}

mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax) {
	if (mx_f32_magnitude(amax) >= MX_F32_INF)
		return (mx_e8m0){ 0xFF };
	/* A subnormal's field of 0 stands for 2^-127 here, not for its log2;
	 * both are clamped to byte 0. The upper clamp is out of reach, emax > 0. */
	int biased = mx_e8m0_from_f32(amax).v - emax(f);
	return (mx_e8m0){ biased > 0 ? biased : 0 };
}

static mx_f32 max_magnitude(const mx_f32 *x, size_t n) {
	mx_f32 amax = { 0 };
	for (size_t i = 0; i < n; i++)
		if (mx_f32_magnitude(x[i]) > amax.v)
			amax.v = mx_f32_magnitude(x[i]);
	return amax; /* a NaN is above all numbers */
}

/* The scaled f32 is inexact only below 2^-126, where every element is 0 either way. */
mx_e8m0 mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes) {
	mx_e8m0 scale = mx_scale_floor(f, max_magnitude(x, n));
	for (size_t i = 0; i < n; i++) {
		mx_f32 quotient = mx_f32_scale(x[i], 127 - scale.v);
		if (scale.v == 0xFF)
			quotient.v = MX_F32_NAN | (x[i].v & MX_F32_SIGN);
		codes[i] = mx_elem_from_f32(f, quotient);
	}
	return scale;
}
