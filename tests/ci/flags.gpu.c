/* Synchronisation through memory, correct and broken, as clang compiles it. */
#include "../../kernels/gfx950.h"

SHARED u32 data[64];
SHARED u32 flag;

#define THREAD() __builtin_amdgcn_workitem_id_x()
#define GROUP()  __builtin_amdgcn_workgroup_id_x()

/* Wave 0 produces and sets a flag in LDS, wave 1 polls: at this scope these are ordinary loads. */
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

/* It reads the flag once, which may be too early. */
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

/* It does not wait for its store before it sets the flag. */
KERNEL(64) void early_flag(GLOBAL u32 *out, GLOBAL u32 *sync) {
	between_groups(out, sync, __ATOMIC_RELAXED);
}

/* Both workgroups write the same location. An atomic load of a flag that no wave sets, or atomic
 * stores, do not order them. */
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

INLINE void barrier(void) {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Waves exchange data through device memory around a barrier of workgroup scope. */
KERNEL(128) void exchange(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	u32 t = THREAD();
	out[t] = t * 7;
	barrier();
	out[t + 128] = out[t ^ 64] + 1;
	barrier();
	out[t ^ 64] = t;
}

/* A lock of workgroup scope, in LDS, around a counter in device memory. */
KERNEL(256) void spin_lock(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	if (THREAD() == 0)
		flag = 0;
	barrier();
	if (THREAD() % 64)
		return;
	u32 at = 0;
	asm volatile("" : "+v"(at)); /* a scalar load would use another cache */
	for (u32 i = 0; i < 3; i++) {
		u32 open = 0;
		while (!__scoped_atomic_compare_exchange_n(&flag, &open, 1, 1, __ATOMIC_ACQUIRE,
		                                           __ATOMIC_RELAXED,
		                                           __MEMORY_SCOPE_WRKGRP))
			open = 0;
		out[at] += 1;
		__scoped_atomic_store_n(&flag, 0, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
	}
}

/* The last workgroup that takes a ticket sums the stores of all, and resets the tickets. */
INLINE void last_sums(GLOBAL u32 *out, GLOBAL u32 *sync, u32 last) {
	u32 t = THREAD(), sum = 0, ticket = 0;
	out[GROUP() * 64 + t] = t;
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	if (t == 0)
		ticket = __scoped_atomic_fetch_add(sync, 1, __ATOMIC_RELAXED,
		                                   __MEMORY_SCOPE_DEVICE);
	ticket = __builtin_amdgcn_readfirstlane(ticket);
	if (ticket != last)
		return;
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
	for (u32 g = 0; g < 4; g++)
		sum += out[g * 64 + t];
	out[512 + t] = sum;
	if (t == 0)
		*sync = 0;
}
KERNEL(64) void last_group(GLOBAL u32 *out, GLOBAL u32 *sync) {
	last_sums(out, sync, 3);
}
/* The last but one does so, which is too early. */
KERNEL(64) void early_group(GLOBAL u32 *out, GLOBAL u32 *sync) {
	last_sums(out, sync, 2);
}

/* All workgroups store before any loads; there are 4, of two waves. */
INLINE void grid_barrier(GLOBAL u32 *out, GLOBAL u32 *sync, u32 all_wait) {
	u32 t = THREAD(), next = (GROUP() + 1) % 4;
	out[GROUP() * 128 + t] = t + GROUP();
	if (all_wait)
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	barrier();
	if (t == 0) {
		__scoped_atomic_fetch_add(sync, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
		while (__scoped_atomic_load_n(sync, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < 4)
			;
	}
	barrier();
	out[512 + GROUP() * 128 + t] = out[next * 128 + t];
}
KERNEL(128) void grid_sync(GLOBAL u32 *out, GLOBAL u32 *sync) {
	grid_barrier(out, sync, 1);
}
/* Only the wave that sets the flag waits for its stores. */
KERNEL(128) void leader_waits(GLOBAL u32 *out, GLOBAL u32 *sync) {
	grid_barrier(out, sync, 0);
}

/* Two workgroups produce and have a flag each; the third waits for one flag and reads both results. */
KERNEL(64) void one_of_two(GLOBAL u32 *out, GLOBAL u32 *sync) {
	u32 t = THREAD(), g = GROUP();
	if (g < 2) {
		out[g * 64 + t] = t;
		__scoped_atomic_store_n(sync + g, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
		return;
	}
	while (!__scoped_atomic_load_n(sync + 1, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE))
		;
	out[128 + t] = out[t] + out[64 + t];
}

/* Atomics of two kinds, each at its own location. */
KERNEL(64) void two_sums(GLOBAL u32 *out, GLOBAL u32 *sync) {
	__scoped_atomic_fetch_add(&out[THREAD()], 2, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_max(sync, THREAD(), __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Overwrites a later instruction. */
KERNEL(64) void own_code(GLOBAL u32 *out, GLOBAL u32 *sync) {
	(void)sync;
	u64 here;
	asm volatile("s_getpc_b64 %0" : "=s"(here));
	*(volatile GLOBAL u32 *)(here + 64) = 0xbf800000;
	out[THREAD()] = 1;
}
