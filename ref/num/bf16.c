/* bfloat16: the upper half of a binary32. */
#include "f32.h"

mx_f32 mx_bf16_to_f32(mx_bf16 x) {
	return (mx_f32){ (uint32_t)x.v << 16 };
}

mx_bf16 mx_bf16_from_f32(mx_f32 x) {
	if (mx_f32_magnitude(x) > MX_F32_INF)
		return (mx_bf16){ x.v >> 16 | 0x0040 };
	/* A carry out of the mantissa goes into the exponent, at the top to infinity. */
	return (mx_bf16){ mx_shift_rne(x.v, 16) };
}
