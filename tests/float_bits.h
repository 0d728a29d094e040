/* Conversions between a float and its bits. */
#ifndef TEST_FLOAT_BITS_H
#define TEST_FLOAT_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float as_float(uint32_t bits) {
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline uint32_t bits_of(float x) {
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

/* Halves, for compilers without _Float16; to nearest even, and a NaN is 0x7e00. */
static inline double half_value(uint16_t bits) {
	int exponent = bits >> 10 & 31;
	double m = bits & 0x3ff;
	double r = exponent == 31 ? (m > 0 ? NAN : INFINITY)
	           : exponent     ? ldexp(1024 + m, exponent - 25)
	                          : ldexp(m, -24);
	return bits >> 15 ? -r : r;
}

static inline uint16_t half_of(double x) {
	uint16_t sign = signbit(x) ? 0x8000 : 0;
	double r = fabs(x);
	if (isnan(x))
		return 0x7e00;
	int e = r >= 0x1p-14 && r < 0x1p16 ? ilogb(r) : r < 1 ? -14 : 16;
	/* the implied bit adds 1 to the exponent, and a carry another */
	double units = e > 15 ? 0x400 : rint(ldexp(r, 10 - e));
	return sign | (uint16_t)(e > 15 ? 0x7c00 : ((e + 14) << 10) + (int)units);
}

#endif
