/* Scales of blocks: E8M0, a biased exponent alone, and floats of 8 bits. */
#include "number.h"

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

/* ---- by the format of the scale ---- */

static const struct mx_format_info *float_of(mx_scale_format f) {
	return &mx_types[f == MX_S_E5M3 ? MX_TYPE_E5M3 : MX_TYPE_E4M3];
}

struct mx_number mx_scale_number(mx_scale_format f, uint8_t code) {
	if (f != MX_S_E8M0)
		return mx_decode(float_of(f), code);
	if (code == NOT_A_NUMBER)
		return (struct mx_number){ .kind = MX_NAN };
	return (struct mx_number){ .sig = 1, .exp = code - BIAS };
}

unsigned mx_scale_man_bits(mx_scale_format f) {
	return f == MX_S_E8M0 ? 0 : float_of(f)->man_bits;
}

mx_f32 mx_block_scale_to_f32(mx_scale_format f, uint8_t code) {
	struct mx_number x = mx_scale_number(f, code);
	return (mx_f32){ mx_encode(&mx_types[MX_TYPE_FP32], x, MX_RNE, MX_OVERFLOW, 0) };
}

uint8_t mx_block_scale_from_f32(mx_scale_format f, mx_f32 x) {
	mx_f32 magnitude = { mx_f32_magnitude(x) };
	if (f == MX_S_E8M0)
		return mx_e8m0_encode(magnitude, MX_SCALE_NEAREST, MX_SATURATE).v;
	return mx_encode(float_of(f), mx_number_of_f32(magnitude), MX_RNE, MX_SATURATE, 0);
}
