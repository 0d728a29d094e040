/* f32 to bf16. */
#include "exact.h"

uint16_t exact_bf16(uint32_t f32) {
	if ((f32 & 0x7fffffff) > 0x7f800000)
		return f32 >> 16 | 0x40;
	return (f32 + 0x7fff + (f32 >> 16 & 1)) >> 16; /* a carry ends at infinity */
}
