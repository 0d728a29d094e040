/* Conversion of f32 patterns to addends of an exact sum. */
#include "inside.h"

enum { NAN_BITS = 0x7fc00000, INF_BITS = 0x7f800000 };
#define NEGATIVE_ZERO 0x80000000u

uint32_t exact_special_sum(unsigned seen) {
	if (seen == EXACT_SEEN_PLUS_INF)
		return INF_BITS;
	return seen == EXACT_SEEN_MINUS_INF ? NEGATIVE_ZERO | INF_BITS : NAN_BITS;
}

unsigned exact_f32_special(uint32_t x) {
	uint32_t magnitude = x & ~NEGATIVE_ZERO;
	if (magnitude < INF_BITS)
		return 0;
	if (magnitude > INF_BITS)
		return EXACT_SEEN_NAN;
	return x & NEGATIVE_ZERO ? EXACT_SEEN_MINUS_INF : EXACT_SEEN_PLUS_INF;
}

struct exact_term exact_f32_term(uint32_t x) {
	int exp = x >> 23 & 0xff;
	int32_t sig = (x & 0x7fffff) | (exp ? 0x800000 : 0);
	return (struct exact_term){ x & NEGATIVE_ZERO ? -sig : sig, (exp ? exp : 1) - 150 };
}
