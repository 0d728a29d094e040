/* binary32 products and quotients, each rounded once. */
#include "f32.h"

static bool is_nan(uint32_t magnitude) {
	return magnitude > MX_F32_INF;
}

static mx_f32 quieted(mx_f32 a, mx_f32 b) {
	return (mx_f32){ (is_nan(mx_f32_magnitude(a)) ? a.v : b.v) | 0x00400000 };
}

mx_f32 mx_f32_mul(mx_f32 a, mx_f32 b) {
	uint32_t m = mx_f32_magnitude(a), n = mx_f32_magnitude(b), sign = (a.v ^ b.v) & MX_F32_SIGN;
	if (is_nan(m) || is_nan(n))
		return quieted(a, b);
	if (m == MX_F32_INF || n == MX_F32_INF)
		return (mx_f32){ m && n ? MX_F32_INF | sign : MX_F32_NAN };
	return mx_f32_round(sign, (uint64_t)mx_f32_sig(a) * mx_f32_sig(b),
	                    mx_f32_exp(a) + mx_f32_exp(b));
}

/* a and b are finite and not zero. The dividend starts at bit 63, so the quotient has at least 39
 * bits; its last bit is the sticky bit. */
static mx_f32 quotient(bool negative, mx_f32 a, mx_f32 b) {
	int up = __builtin_clzll(mx_f32_sig(a));
	uint64_t dividend = (uint64_t)mx_f32_sig(a) << up, divisor = mx_f32_sig(b);
	return mx_f32_round(negative, dividend / divisor | (dividend % divisor != 0),
	                    mx_f32_exp(a) - up - mx_f32_exp(b));
}

mx_f32 mx_f32_div(mx_f32 a, mx_f32 b) {
	uint32_t m = mx_f32_magnitude(a), n = mx_f32_magnitude(b), sign = (a.v ^ b.v) & MX_F32_SIGN;
	if (is_nan(m) || is_nan(n))
		return quieted(a, b);
	if ((!m && !n) || (m == MX_F32_INF && n == MX_F32_INF))
		return (mx_f32){ MX_F32_NAN };
	if (m == MX_F32_INF || !n)
		return (mx_f32){ MX_F32_INF | sign };
	if (n == MX_F32_INF || !m)
		return (mx_f32){ sign };
	return quotient(sign, a, b);
}
