/* E8M0: the scale of a block, a biased exponent alone. */
#include "f32.h"

mx_f32 mx_e8m0_to_f32(mx_e8m0 s) {
	if (s.v == 0xFF)
		return (mx_f32){ MX_F32_NAN };
	return mx_f32_round(false, 1, s.v - 127);
}

mx_e8m0 mx_e8m0_from_f32(mx_f32 x) {
	return (mx_e8m0){ x.v >> MX_F32_MAN & 0xFF };
}
