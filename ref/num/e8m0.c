/* E8M0: the scale of a block, a biased exponent alone. */
#include "f32.h"

enum { BIAS = 127, LARGEST = 0xFE, NOT_A_NUMBER = 0xFF };

mx_f32 mx_e8m0_to_f32(mx_e8m0 s) {
	if (s.v == NOT_A_NUMBER)
		return (mx_f32){ MX_F32_NAN };
	return mx_f32_round(false, 1, s.v - BIAS);
}

mx_e8m0 mx_e8m0_from_f32(mx_f32 x) {
	return (mx_e8m0){ x.v >> MX_F32_MAN & 0xFF };
}

/* Whether sig, with its leading one at bit `lead`, rounds up to the next power of two. */
static bool rounds_up(uint32_t sig, int lead, mx_scale_rounding r) {
	switch (r) {
	case MX_SCALE_UP: return sig & (sig - 1);
	case MX_SCALE_NEAREST: return lead && sig >> (lead - 1) & 1;
	case MX_SCALE_DOWN: break;
	}
	return false;
}

mx_e8m0 mx_e8m0_encode(mx_f32 x, mx_scale_rounding r, mx_overflow o) {
	if (mx_f32_magnitude(x) > MX_F32_INF)
		return (mx_e8m0){ NOT_A_NUMBER };
	uint32_t sig = mx_f32_sig(x);
	int code = LARGEST + 1;
	if (!sig) {
		code = 0;
	} else if (mx_f32_magnitude(x) < MX_F32_INF) {
		int lead = 31 - __builtin_clz(sig);
		code = mx_f32_exp(x) + lead + BIAS + rounds_up(sig, lead, r);
	}
	if (code > LARGEST)
		code = o == MX_SATURATE ? LARGEST : NOT_A_NUMBER;
	return (mx_e8m0){ code > 0 ? code : 0 };
}
