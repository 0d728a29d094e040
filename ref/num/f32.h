/* binary32 bit patterns: the fields, assembly from an exact number, products and quotients. */
#ifndef MX_F32_H
#define MX_F32_H

#include "../mxref.h"
#include "round.h"

#include <string.h>

enum { MX_F32_MAN = 23, MX_F32_EXP_MIN = -149 };

#define MX_F32_SIGN 0x80000000u
#define MX_F32_INF  0x7F800000u
#define MX_F32_NAN  0x7FC00000u

static inline mx_f32 mx_f32_of(float x) {
	mx_f32 bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline float mx_f32_float(mx_f32 x) {
	float value;
	memcpy(&value, &x, sizeof value);
	return value;
}

static inline uint32_t mx_f32_magnitude(mx_f32 x) {
	return x.v & ~MX_F32_SIGN;
}

/* A finite x is +-sig * 2^exp. */
static inline uint32_t mx_f32_sig(mx_f32 x) {
	uint32_t man = x.v & 0x7FFFFF;
	return x.v & MX_F32_INF ? man | 0x800000 : man;
}

static inline int mx_f32_exp(mx_f32 x) {
	int field = x.v >> MX_F32_MAN & 0xFF;
	return (field ? field - 1 : 0) + MX_F32_EXP_MIN;
}

/* sig * 2^exp with a sign, rounded once; the sticky bit is as in mx_round_code. */
static inline mx_f32 mx_f32_round(bool negative, uint64_t sig, int exp) {
	uint64_t code = mx_round_code(sig, exp, MX_F32_MAN, MX_F32_EXP_MIN);
	if (code > MX_F32_INF)
		code = MX_F32_INF;
	return (mx_f32){ (uint32_t)code | (negative ? MX_F32_SIGN : 0) };
}

/* IEEE 754, nearest even, subnormals kept. The first NaN operand is the result, quieted; a NaN from
 * other operands is 0x7FC00000. */
mx_f32 mx_f32_mul(mx_f32 a, mx_f32 b);
mx_f32 mx_f32_div(mx_f32 a, mx_f32 b);

#endif
