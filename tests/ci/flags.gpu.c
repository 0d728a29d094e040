/* Synchronisation through memory, right and wrong, as clang compiles it. */
#include "../../kernels/gfx950.h"

SHARED u32 data[64];
SHARED u32 flag;

#define THREAD() __builtin_amdgcn_workitem_id_x()
#define GROUP()  __builtin_amdgcn_workgroup_id_x()

/* Wave 0 produces and sets a flag in LDS, wave 1 polls: of this scope these are ordinary loads. */
KERNEL(128) void lds_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	u32 t = THREAD();
	if (t == 0)
		flag = 0;
	LDS_BARRIER();
	if (t < 64) {
		data[t] = t * 3;
		__scoped_atomic_store_n(&flag, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
	} else {
		while (!__scoped_atomic_load_n(&flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP))
			;
		out[t] = data[t - 64];
	}
}

/* The same through device memory. */
KERNEL(128) void global_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	u32 t = THREAD();
	if (t < 64) {
		out[t] = t * 3;
		__scoped_atomic_store_n(sync, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
	} else {
		while (!__scoped_atomic_load_n(sync, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP))
			;
		out[t] = out[t - 64];
	}
}

/* It looks once, and so may be too early. */
KERNEL(128) void looked_once(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	u32 t = THREAD();
	if (t == 0)
		flag = 0;
	LDS_BARRIER();
	if (t < 64) {
		data[t] = t * 3;
		flag = 1;
	} else if (flag)
		out[t] = data[t - 64];
}

INLINE void between_groups(GLOBAL u32 *out, GLOBAL u32 *sync, int order) {
	u32 t = THREAD(), g = GROUP();
	if (g == 0) {
		out[t] = t * 5;
		if (order == __ATOMIC_RELEASE)
			__scoped_atomic_store_n(sync, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
		else
			__scoped_atomic_store_n(sync, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
		return;
	}
	while (!__scoped_atomic_load_n(sync, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE))
		__builtin_amdgcn_s_sleep(1);
	out[g * 64 + t] = out[t] + 1;
}

/* Workgroup 0 sets a flag of agent scope, the others wait for it. */
KERNEL(64) void agent_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	between_groups(out, sync, __ATOMIC_RELEASE);
}

/* It does not wait for its store first. */
KERNEL(64) void early_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	between_groups(out, sync, __ATOMIC_RELAXED);
}

/* Both workgroups write the same place; to have read by an atomic load what nobody sets, or to
 * store with atomic stores, orders nothing. */
KERNEL(64) void unset_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	u32 g = GROUP();
	if (g)
		g += __scoped_atomic_load_n(sync, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	out[THREAD()] = g;
}
KERNEL(64) void atomic_stores(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	__scoped_atomic_store_n(&out[THREAD()], GROUP(), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Workgroups take tiles of 60 from a counter; `stored` of them are written. */
INLINE void take_tiles(GLOBAL u32 *out, GLOBAL u32 *sync, u32 stored) {
	u32 t = THREAD();
	for (;;) {
		u32 tile = 0;
		if (t == 0)
			tile = __scoped_atomic_fetch_add(sync, 1, __ATOMIC_RELAXED,
			                                 __MEMORY_SCOPE_DEVICE);
		tile = __builtin_amdgcn_readfirstlane(tile);
		if (tile >= 16)
			return;
		if (t < stored)
			out[tile * 60 + t] = tile;
	}
}
KERNEL(64) void tiles(GLOBAL u32 *out, GLOBAL u32 *sync) {
	take_tiles(out, sync, 60);
}
KERNEL(64) void overlapping_tiles(GLOBAL u32 *out, GLOBAL u32 *sync) {
	take_tiles(out, sync, 64);
}

/* Atomics of two functions, at places of their own. */
KERNEL(64) void two_sums(GLOBAL u32 *out, GLOBAL u32 *sync) {
	__scoped_atomic_fetch_add(&out[THREAD()], 2, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_max(sync, THREAD(), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Writes over an instruction behind it. */
KERNEL(64) void own_code(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	u64 here;
	asm volatile("s_getpc_b64 %0" : "=s"(here));
	*(volatile GLOBAL u32 *)(here + 64) = 0xbf800000;
	out[THREAD()] = 1;
}
