/* Kernels with one fault: they do not write some bytes of their output, or write padding. Outputs
 * start with poison, which is a NaN, so an unwritten element looks right if a NaN is right. */
#include "own_kernel/mxfp4_small.c"

typedef unsigned short u16;

static u32 bits_of(float x) {
	return __builtin_bit_cast(u32, x);
}

static u16 bf16_of(float x) {
	u32 u = bits_of(x);
	return x != x ? 0x7fc0 : (u16)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* The result of an atomic addition of its bf16 to +0. */
static u16 bf16_sum(float x) {
	return bf16_of(x) == 0x8000 ? 0 : bf16_of(x);
}

/* The product of a tile: 4 rows from 4 (lane / 16) on, of column lane % 16. */
static f32x4 tile(const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B, const GLOBAL u8 *SB,
                  u64 row, u64 col, u32 lane, u32 K) {
	f32x4 acc = {};
	for (u32 k = 0; k < K; k += STEP) {
		u32 block = k / BLOCK + lane / TILE;
		acc = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
			load_block(A, row, block, K), load_block(B, col, block, K), acc, E2M1, E2M1,
			0, load_scale(SA, row, block, K), 0, load_scale(SB, col, block, K));
	}
	return acc;
}

/* A kernel with a statement that stores x to C[at], with elements of a type. */
#define KERNEL(name, type, store)                                                                  \
	__attribute__((device_kernel, amdgpu_flat_work_group_size(64, 64))) void name(             \
		GLOBAL type *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,       \
		const GLOBAL u8 *SB, u32 N, u32 K, u32 ld) {                                       \
		u32 lane = __builtin_amdgcn_workitem_id_x();                                       \
		u64 row = __builtin_amdgcn_workgroup_id_y() * TILE;                                \
		u64 col = __builtin_amdgcn_workgroup_id_x() * TILE, lanes = lane % TILE;           \
		f32x4 acc = tile(A, SA, B, SB, row + lanes, col + lanes, lane, K);                 \
		(void)N;                                                                           \
		for (u32 r = 0; r < 4; r++) {                                                      \
			float x = acc[r];                                                          \
			u64 at = (row + lane / TILE * 4 + r) * ld + col + lanes;                   \
			store;                                                                     \
		}                                                                                  \
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
