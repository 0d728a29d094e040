/* N1: the bf16 store truncates the mantissa instead of rounding. SNR hardly changes. The correct
 * twin is kernels/gemm/mxfp4_gemm.c, which differs in TO_BF16 alone. */
#include "../gfx950.h"

INLINE u16 bf16_truncate(float x) {
	return __builtin_bit_cast(u32, x) >> 16;
}

#define TO_BF16 bf16_truncate
#include "../gemm/mxfp4_gemm.c"
