/* Kernels with one fault: they do not write some bytes of their output, or write padding. Outputs
 * start with poison, which is a NaN, so an unwritten element looks right if a NaN is right. */
#include "product_kernel.h"

/* The result of an atomic addition of its bf16 to +0. */
static u16 bf16_sum(float x) {
	return bf16_of(x) == 0x8000 ? 0 : bf16_of(x);
}

KERNEL(all_f32, float, C[at] = x)
KERNEL(all_bf16, u16, C[at] = bf16_of(x))
KERNEL(all_f16, _Float16, C[at] = (_Float16)x)
KERNEL(all_sum, u16, C[at] = bf16_sum(x))

/* If the result is a NaN, nothing is stored, or only its high half or byte. */
KERNEL(no_nan_f32, float, if (x == x) C[at] = x)
KERNEL(no_nan_bf16, u16, if (x == x) C[at] = bf16_of(x))
KERNEL(no_nan_f16, _Float16, if (x == x) C[at] = (_Float16)x)
KERNEL(no_nan_sum, u16, if (x == x) C[at] = bf16_sum(x))
KERNEL(half_nan_f32, u16, C[2 * at + 1] = bits_of(x) >> 16; if (x == x) C[2 * at] = bits_of(x))
KERNEL(half_nan_bf16, u8, C[2 * at + 1] = bf16_of(x) >> 8; if (x == x) C[2 * at] = bf16_of(x))

/* The first padding element of each row is stored with its present bits. */
KERNEL(gap_f32, float, C[at] = x; if (col + lanes == 0) C[at + N] = __builtin_bit_cast(float, -1))

/* A copy, nibble by nibble, without nibbles of 0xF. */
__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void
copy_nibbles(GLOBAL u8 *to, const GLOBAL u8 *from) {
	u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	u32 low = (from[i] & 0x0f) == 0x0f ? 0x0f : 0, high = from[i] >= 0xf0 ? 0xf0 : 0;
	to[i] = (u8)((to[i] & (low | high)) | (from[i] & ~(low | high)));
}

/* A copy, byte by byte, without bytes of 0xFF. */
__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void
copy(GLOBAL u8 *to, const GLOBAL u8 *from) {
	u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	to[i] = from[i];
}

__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void
copy_no_ones(GLOBAL u8 *to, const GLOBAL u8 *from) {
	u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
	if (from[i] != 0xff)
		to[i] = from[i];
}
