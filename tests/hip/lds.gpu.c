/* Uses of LDS in compiled code other than loads and stores, for lds_test. */
#include "../../kernels/gfx950.h"

typedef _Float16 f16x8 __attribute__((ext_vector_type(8)));
typedef __fp16 h16x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));

#define RELAXED  __ATOMIC_RELAXED
#define IN_GROUP __MEMORY_SCOPE_WRKGRP

INLINE u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}

INLINE void sync(void) {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	BARRIER();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Three permutations of in[], one after the other. */
KERNEL(64) void permute(GLOBAL u32 *out, const GLOBAL u32 *in) {
	int v = (int)in[me()];
	out[me()] = (u32)__builtin_amdgcn_ds_swizzle(v, 0x401f); /* lane ^ 16 */
	out[64 + me()] = (u32)__builtin_amdgcn_ds_bpermute((int)(63 - me()) * 4, v);
	out[128 + me()] = (u32)__builtin_amdgcn_ds_permute((int)(me() + 1) * 4, v);
}

/* Sixteen bins, a sum of floats, the extremes, and a list of the odd values. */
SHARED u32 bins[16], most, least, listed, list[256];
SHARED float sum;
SHARED u64 wide;

KERNEL(256) void histogram(GLOBAL u32 *out, const GLOBAL u32 *in) {
	u32 v = in[me()];
	if (me() < 16)
		bins[me()] = 0;
	if (me() == 0) {
		most = listed = 0;
		least = ~0u;
		sum = 0;
		wide = 0;
	}
	sync();
	__scoped_atomic_fetch_add(&bins[v % 16], 1, RELAXED, IN_GROUP);
	__scoped_atomic_fetch_max(&most, v, RELAXED, IN_GROUP);
	__scoped_atomic_fetch_min(&least, v, RELAXED, IN_GROUP);
	__scoped_atomic_fetch_add(&wide, (u64)v << 20, RELAXED, IN_GROUP);
	__builtin_amdgcn_ds_faddf(&sum, (float)(v % 4096), 0, 0, 0);
	if (v & 1)
		list[__scoped_atomic_fetch_add(&listed, 1, RELAXED, IN_GROUP)] = v;
	sync();
	if (me() < 16)
		out[me()] = bins[me()];
	if (me() == 0) {
		out[16] = most;
		out[17] = least;
		out[18] = listed;
		out[19] = __builtin_bit_cast(u32, sum);
		out[20] = (u32)wide;
		out[21] = (u32)(wide >> 32);
	}
	if (me() < listed)
		out[32 + me()] = list[me()];
}

/* A lock by compare-and-swap: one lane of each wave adds to the guarded value. */
SHARED u32 lock, guarded;

KERNEL(256) void locked(GLOBAL u32 *out) {
	if (me() == 0)
		lock = guarded = 0;
	sync();
	if (LANE() == 0) {
		u32 open = 0;
		while (!__scoped_atomic_compare_exchange_n(&lock, &open, 1, 0, __ATOMIC_ACQUIRE,
		                                           RELAXED, IN_GROUP))
			open = 0;
		guarded += 1 + WAVE();
		__scoped_atomic_store_n(&lock, 0, __ATOMIC_RELEASE, IN_GROUP);
	}
	sync();
	if (me() == 0)
		*out = guarded;
}

/* D = A B of 16 by 32 and 32 by 16: A [M][K] from memory, B [K][N] through LDS. */
SHARED _Float16 b_tile[32][16];

KERNEL(64) void product(GLOBAL float *d, const GLOBAL _Float16 *a, const GLOBAL _Float16 *b) {
	u32 lane = me(), k = 8 * (lane / 16) + lane % 16 / 4, n = 4 * (lane % 4);
	for (u32 i = 0; i < 8; i++)
		b_tile[lane / 2][8 * (lane % 2) + i] = b[8 * lane + i];
	sync();
	union {
		h16x4 half[2];
		f16x8 whole;
	} column;
	column.half[0] = __builtin_amdgcn_ds_read_tr16_b64_v4f16((LDS h16x4 *)&b_tile[k][n]);
	column.half[1] = __builtin_amdgcn_ds_read_tr16_b64_v4f16((LDS h16x4 *)&b_tile[k + 4][n]);
	f16x8 row = *(const GLOBAL f16x8 *)&a[32 * (lane % 16) + 8 * (lane / 16)];
	f32x4 c = __builtin_amdgcn_mfma_f32_16x16x32_f16(row, column.whole, (f32x4){}, 0, 0, 0);
	for (u32 i = 0; i < 4; i++)
		d[16 * (4 * (lane / 16) + i) + lane % 16] = c[i];
}
