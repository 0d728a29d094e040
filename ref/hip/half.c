/* Conversions of half precision on the host, which clang before 15 called from programs of HIP and
 * which AMD's library has for them [ROCm/clr, hipamd/src/fixme.cpp]. */
#include "../mxref.h"
#include "runtime.h"

#include <string.h>

MXHIP_API uint16_t __gnu_f2h_ieee(float x);
MXHIP_API uint16_t __gnu_f2h_ieee(float x) {
	mx_f32 bits;
	memcpy(&bits.v, &x, 4);
	return mx_f16_from_f32(bits).v;
}

MXHIP_API float __gnu_h2f_ieee(uint16_t half);
MXHIP_API float __gnu_h2f_ieee(uint16_t half) {
	mx_f32 bits = mx_f16_to_f32((mx_f16){ half });
	float x;
	memcpy(&x, &bits.v, 4);
	return x;
}
