/* A kernel for each way to store an element of a product of MXFP4; a workgroup is one wave with a
 * tile of 16x16. */
#include "own_kernel/mxfp4_small.c"

typedef unsigned short u16;

static u32 bits_of(float x) {
	return __builtin_bit_cast(u32, x);
}

static u16 bf16_of(float x) {
	u32 u = bits_of(x);
	return x != x ? 0x7fc0 : (u16)((u + 0x7fff + (u >> 16 & 1)) >> 16);
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
