/* bfloat16: the upper half of a binary32. */
#include "number.h"

mx_f32 mx_bf16_to_f32(mx_bf16 x) {
	return (mx_f32){ (uint32_t)x.v << 16 };
}

mx_bf16 mx_bf16_encode(mx_f32 x, mx_rounding r, mx_overflow o, uint32_t random) {
	return (mx_bf16){ mx_encode(&mx_types[MX_TYPE_BF16], mx_number_of_f32(x), r, o, random) };
}

mx_bf16 mx_bf16_from_f32(mx_f32 x) {
	return mx_bf16_encode(x, MX_RNE, MX_OVERFLOW, 0);
}
