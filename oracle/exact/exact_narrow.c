/* Conversion of f32 to the 16-bit formats, nearest even; a NaN becomes quiet and keeps its upper
 * payload. */
#include "exact.h"

/* x / 2^shift to the nearest integer, ties to even; 1 <= shift <= 25, x below 2^25. */
static uint32_t divide(uint32_t x, unsigned shift) {
	uint32_t last = x >> shift & 1;
	return (x + (1u << (shift - 1)) - 1 + last) >> shift;
}

uint16_t exact_f16(uint32_t f32) {
	enum { LOST = 13, REBIAS = 127 - 15, SMALLEST = REBIAS + 1 };
	uint16_t sign = f32 >> 16 & 0x8000;
	uint32_t x = f32 & 0x7fffffff, exp = x >> 23;
	if (x > 0x7f800000)
		return sign | 0x7e00 | (x >> LOST & 0x3ff);
	if (exp > REBIAS + 30)
		return sign | 0x7c00;
	if (exp >= SMALLEST)
		return sign | ((x - (REBIAS << 23) + 0xfff + (x >> LOST & 1)) >> LOST);
	if (exp < SMALLEST - 11) /* below half of the smallest */
		return sign;
	return sign | divide((x & 0x7fffff) | 0x800000, SMALLEST - exp + LOST);
}

uint32_t exact_narrow(uint32_t f32, enum exact_output to) {
	return to == EXACT_BF16 ? exact_bf16(f32) : to == EXACT_F16 ? exact_f16(f32) : f32;
}
