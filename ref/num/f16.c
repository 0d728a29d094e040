/* binary16 to and from binary32. */
#include "number.h"

mx_f32 mx_f16_to_f32(mx_f16 x) {
	struct mx_number exact = mx_decode(&mx_types[MX_TYPE_FP16], x.v);
	return (mx_f32){ mx_encode(&mx_types[MX_TYPE_FP32], exact, MX_RNE, MX_OVERFLOW, 0) };
}

mx_f16 mx_f16_encode(mx_f32 x, mx_rounding r, mx_overflow o, uint32_t random) {
	return (mx_f16){ mx_encode(&mx_types[MX_TYPE_FP16], mx_number_of_f32(x), r, o, random) };
}

mx_f16 mx_f16_from_f32(mx_f32 x) {
	return mx_f16_encode(x, MX_RNE, MX_OVERFLOW, 0);
}
