/* A float's bits, and back. */
#ifndef TEST_FLOAT_BITS_H
#define TEST_FLOAT_BITS_H

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

#endif
