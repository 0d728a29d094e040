/* Kernels that occupy part of the device during another launch: memory or matrix cores. They end
 * after a number of rounds, or when the host sets `stop`; their results are not used. */
#ifdef __gfx1250__
#include "../gfx1250.h"
#else
#include "../gfx950.h"
#endif

enum { THREADS = 256, STRIDE = 997 * THREADS };

/* The host writes `stop` while the kernel runs. */
INLINE u32 is_over(const GLOBAL u32 *stop) {
	return __scoped_atomic_load_n(stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

INLINE u32 begin(GLOBAL u64 *visits) {
	u32 id = __builtin_amdgcn_workitem_id_x();
	if (!id)
		__scoped_atomic_fetch_add(visits, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	return __builtin_amdgcn_workgroup_id_x() * THREADS + id;
}

/* Reads and writes 16 bytes per work-item and round, all over `memory`; elements: a power of
 * two. */
KERNEL(THREADS)
void tenant_memory(const GLOBAL u32 *stop, GLOBAL u64 *visits, GLOBAL u32x4 *memory, u32 elements,
                   u32 rounds) {
	u32 at = begin(visits);
	for (u32 i = 0; i < rounds && !is_over(stop); i++, at += STRIDE)
		memory[at & (elements - 1)] += 1;
}

/* A scaled matrix instruction of E2M1 data. */
#ifdef __gfx1250__
typedef f32x8 sums;
INLINE sums multiply(int x, sums c) {
	i32x16 a = { x, ~x, x ^ 0x55, x, x, ~x, x, x };
	return __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(4, a, 4, a, 0, c, 0, 0, 0x7f7f7f7f,
	                                                        0, 0, 0x7f7f7f7f, 0, 0);
}
#else
typedef f32x4 sums;
INLINE sums multiply(int x, sums c) {
	i32x8 a = { x, ~x, x ^ 0x55, x, x, ~x, x, x };
	return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, a, c, 4, 4, 0, 0x7f7f7f7f, 0,
	                                                        0x7f7f7f7f);
}
#endif

KERNEL(THREADS)
void tenant_matrix(const GLOBAL u32 *stop, GLOBAL u64 *visits, GLOBAL u32x4 *memory, u32 elements,
                   u32 rounds) {
	u32 at = begin(visits);
	int x = (int)(at * 0x9e3779b9u);
	sums c = { 0 };
	for (u32 i = 0; i < rounds && !is_over(stop); i++)
#pragma unroll
		for (u32 k = 0; k < 8; k++)
			c = multiply(x, c);
	memory[at & (elements - 1)] = __builtin_bit_cast(u32x4, (f32x4){ c[0], c[1], c[2], c[3] });
}
