/* Quantisation of one block by the OCP floor recipe. */
#include "f32.h"

static mx_f32 max_magnitude(const mx_f32 *x, size_t n) {
	mx_f32 amax = { 0 };
	for (size_t i = 0; i < n; i++)
		if (mx_f32_magnitude(x[i]) > amax.v)
			amax.v = mx_f32_magnitude(x[i]);
	return amax; /* the bits of a NaN are above those of all numbers */
}

mx_status mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes,
                            mx_e8m0 *scale) {
	if ((unsigned)f >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if (!scale || (n && (!x || !codes)))
		return MX_BAD_POINTER;
	if (n > MX_BLOCK)
		return MX_BAD_SHAPE;
	*scale = mx_scale(MX_RECIPE_FLOOR, f, max_magnitude(x, n));
	for (size_t i = 0; i < n; i++)
		codes[i] = mx_scaled_encode(MX_RECIPE_FLOOR, f, x[i], *scale, MX_RNE, 0);
	return MX_OK;
}
