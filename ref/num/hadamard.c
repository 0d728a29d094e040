/* The 16-point Walsh-Hadamard transform in f32. */
#include "quantize.h"

/* a + b for finite |a| >= |b|, rounded once. a is shifted left by 38 bits, so that b
 * keeps all of its bits. A smaller b is less than half an ulp of the sum and makes no
 * tie, because a is exact. */
static uint32_t add_ordered(mx_f32 a, mx_f32 b) {
	int distance = mx_f32_exp(a) - mx_f32_exp(b);
	uint64_t big = (uint64_t)mx_f32_sig(a) << 38;
	uint64_t small = distance <= 38 ? (uint64_t)mx_f32_sig(b) << (38 - distance) : 0;
	uint64_t sum = (a.v ^ b.v) & MX_F32_SIGN ? big - small : big + small;
	bool negative = sum ? a.v & MX_F32_SIGN : a.v & b.v & MX_F32_SIGN;
	return mx_f32_round(negative, sum, mx_f32_exp(a) - 38).v;
}

/* IEEE 754 addition in integers, independent of the thread's flush-to-zero mode.
 * The first NaN operand is the result, quieted; infinity - infinity is 0x7FC00000. */
static uint32_t add(uint32_t a, uint32_t b) {
	mx_f32 x = { a }, y = { b };
	uint32_t mx = mx_f32_magnitude(x), my = mx_f32_magnitude(y);
	if (mx > MX_F32_INF || my > MX_F32_INF)
		return (mx > MX_F32_INF ? a : b) | 0x00400000;
	if (mx == MX_F32_INF || my == MX_F32_INF)
		return mx != my ? mx > my ? a : b : a == b ? a : MX_F32_NAN;
	return mx >= my ? add_ordered(x, y) : add_ordered(y, x);
}

void mx_hadamard16(uint32_t v[16]) {
	for (unsigned distance = 1; distance < 16; distance *= 2)
		for (unsigned i = 0; i < 16; i++)
			if (!(i & distance)) {
				uint32_t a = v[i], b = v[i + distance];
				v[i] = add(a, b);
				v[i + distance] = add(a, b ^ MX_F32_SIGN);
			}
	for (unsigned i = 0; i < 16; i++)
		v[i] = mx_f32_scale((mx_f32){ v[i] }, -2).v;
}
