/* N7: kernels that store +0 for some of the elements that are -0. */
#include "product_kernel.h"

KERNEL(kept_f32, float, C[at] = x)
KERNEL(kept_bf16, u16, C[at] = bf16_of(x))
KERNEL(kept_f16, _Float16, C[at] = (_Float16)x)

/* Sums of -0. */
KERNEL(sum_f32, float, C[at] = x == 0 ? 0 : x)
KERNEL(sum_bf16, u16, C[at] = x == 0 ? 0 : bf16_of(x))
KERNEL(sum_f16, _Float16, C[at] = x == 0 ? 0 : (_Float16)x)

/* Sums that are not 0 and are rounded to -0. */
KERNEL(rounded_bf16, u16, C[at] = x != 0 && bf16_of(x) == 0x8000 ? 0 : bf16_of(x))
KERNEL(rounded_f16, _Float16, C[at] = x != 0 && (_Float16)x == 0 ? 0 : (_Float16)x)
