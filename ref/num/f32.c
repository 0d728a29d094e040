/* binary32 times a power of two. */
#include "f32.h"

mx_f32 mx_f32_scale(mx_f32 x, int e) {
	uint32_t magnitude = mx_f32_magnitude(x);
	if (magnitude > MX_F32_INF)
		return (mx_f32){ x.v | 0x00400000 }; /* quieted */
	if (magnitude == MX_F32_INF)
		return x;
	/* 2^+-600 takes every number out of the range of f32; a larger e might overflow int. */
	e = e > 600 ? 600 : e < -600 ? -600 : e;
	return mx_f32_round(x.v & MX_F32_SIGN, mx_f32_sig(x), mx_f32_exp(x) + e);
}
