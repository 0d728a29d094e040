/* Kernels of the corpus in C, as clang compiles C11 atomics and fences: both twins of a pair, NAME_wrong and NAME_right.
   Arguments and their contents are those of prelude.inc. WAVE: work-items of a wave. */
typedef unsigned u32;
typedef float f32;
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3), loader_uninitialized))
#define ARGUMENTS GLOBAL u32 *in, GLOBAL u32 *out, GLOBAL u32 *flags
#define KERNEL(name) __attribute__((device_kernel, amdgpu_flat_work_group_size(1, 256))) void name(ARGUMENTS)
/* Both twins of one body, which asks RIGHT. */
#define TWINS(name)                                                                          \
	static __attribute__((always_inline)) void name(int RIGHT, u32 t, u32 g, ARGUMENTS); \
	KERNEL(name##_wrong)                                                                 \
	{                                                                                    \
		name(0, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workgroup_id_x(), in, out, flags); \
	}                                                                                    \
	KERNEL(name##_right)                                                                 \
	{                                                                                    \
		name(1, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workgroup_id_x(), in, out, flags); \
	}                                                                                    \
	static __attribute__((always_inline)) void name(int RIGHT, u32 t, u32 g, ARGUMENTS)

#define GROUP __MEMORY_SCOPE_WRKGRP
#define AGENT __MEMORY_SCOPE_DEVICE
#define load(p, order, scope) __scoped_atomic_load_n(p, __ATOMIC_##order, scope)
#define store(p, v, order, scope) __scoped_atomic_store_n(p, v, __ATOMIC_##order, scope)
#define add(p, v, order, scope) __scoped_atomic_fetch_add(p, v, __ATOMIC_##order, scope)

/* HIP's __syncthreads(). */
static __attribute__((always_inline)) void sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
/* HIP's __threadfence(). */
static __attribute__((always_inline)) void fence(void)
{
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

static LDS u32 tile[512];
static LDS u32 word, other;

TWINS(c_sync_lds)
{
	tile[t] = in[t];
	if (RIGHT)
		sync();
	out[t] = tile[t ^ WAVE];
}

TWINS(c_sync_global)
{
	out[t] = in[t];
	if (RIGHT)
		sync();
	out[t + 1024] = out[t ^ WAVE];
}

/* One sync where a tile is read and written again by all waves: two are needed. */
TWINS(c_sync_twice)
{
	u32 sum = 0;
	for (u32 i = 0; i < 4; i++) {
		tile[t] = in[t + 128 * i];
		sync();
		sum += tile[t ^ WAVE];
		if (RIGHT)
			sync();
	}
	out[t] = sum;
}

TWINS(c_reduce)
{
	tile[t] = in[t];
	sync();
	for (u32 n = 128; n; n /= 2) {
		if (t < n)
			tile[t] += tile[t + n];
		if (RIGHT || n != 128)
			sync();
	}
	if (t == 0)
		out[0] = tile[0];
}

TWINS(c_histogram)
{
	if (t < 16)
		tile[t] = 0;
	if (RIGHT)
		sync();
	add(&tile[in[t] % 16], 1, RELAXED, GROUP);
	sync();
	if (t < 16)
		out[t] = tile[t];
}

/* A flag in LDS from wave 0 to wave 1. */
TWINS(c_lds_flag)
{
	if (t == 0)
		store(&word, 0, RELAXED, GROUP);
	sync();
	if (t < WAVE) {
		tile[t] = in[t];
		__builtin_amdgcn_wave_barrier();
		if (RIGHT)
			store(&word, 1, RELEASE, GROUP);
		else
			store(&other, 1, RELEASE, GROUP), store(&word, 1, RELAXED, GROUP), tile[t] = in[t + WAVE];
	} else {
		while (!load(&word, ACQUIRE, GROUP))
			;
		out[t] = tile[t ^ WAVE];
	}
}

/* Data in memory, flag in LDS, workgroup scope. */
TWINS(c_lds_flag_global_data)
{
	if (t == 0)
		store(&word, 0, RELAXED, GROUP);
	sync();
	if (t < WAVE) {
		if (!RIGHT)
			store(&word, 1, RELEASE, GROUP);
		out[t] = in[t];
		if (RIGHT)
			store(&word, 1, RELEASE, GROUP);
	} else {
		while (!load(&word, ACQUIRE, GROUP))
			;
		out[t + 1024] = out[t ^ WAVE];
	}
}

/* A flag in memory between two waves of a workgroup. */
TWINS(c_group_flag)
{
	if (t < WAVE) {
		if (!RIGHT)
			store(flags, 1, RELEASE, GROUP);
		out[t] = in[t];
		if (RIGHT)
			store(flags, 1, RELEASE, GROUP);
	} else {
		while (!load(flags, ACQUIRE, GROUP))
			;
		out[t + 1024] = out[t ^ WAVE];
	}
}

/* A flag between two workgroups of one wave. */
TWINS(c_agent_flag)
{
	if (g == 0) {
		out[t] = in[t];
		if (RIGHT)
			store(flags, 1, RELEASE, AGENT);
		else
			store(flags, 1, RELAXED, AGENT);
	} else {
		while (!load(flags, ACQUIRE, AGENT))
			;
		out[t + 1024] = out[t];
	}
}

/* The scope is the workgroup's although the reader is in another one. */
TWINS(c_agent_flag_scope)
{
	if (g == 0) {
		out[t] = in[t];
		if (RIGHT)
			store(flags, 1, RELEASE, AGENT);
		else
			store(flags, 1, RELEASE, GROUP);
	} else {
		while (!load(flags, ACQUIRE, AGENT))
			;
		out[t + 1024] = out[t];
	}
}

TWINS(c_agent_fences)
{
	if (g == 0) {
		out[t] = in[t];
		if (RIGHT)
			fence();
		store(flags, 1, RELAXED, AGENT);
	} else {
		while (!load(flags, RELAXED, AGENT))
			;
		fence();
		out[t + 1024] = out[t];
	}
}

TWINS(c_agent_fence_of_reader)
{
	if (g == 0) {
		out[t] = in[t];
		store(flags, 1, RELEASE, AGENT);
	} else {
		u32 early = RIGHT ? 0 : out[t];
		__builtin_amdgcn_sched_barrier(0);
		while (!load(flags, ACQUIRE, AGENT))
			;
		out[t + 1024] = RIGHT ? out[t] : early;
	}
}

/* threadFenceReduction: the last workgroup adds up. */
TWINS(c_last_block)
{
	out[256 * g + t] = in[256 * g + t];
	if (RIGHT)
		fence();
	sync();
	if (t == 0)
		word = add(flags, 1, RELAXED, AGENT) == 2;
	sync();
	if (word) {
		fence();
		u32 sum = 0;
		for (u32 i = 0; i < 3; i++)
			sum += out[256 * i + t];
		out[2048 + t] = sum;
	}
}

TWINS(c_last_block_acq_rel)
{
	out[256 * g + t] = in[256 * g + t];
	sync();
	if (t == 0)
		word = RIGHT ? add(flags, 1, ACQ_REL, AGENT) == 2 : add(flags, 1, ACQ_REL, AGENT) == 1;
	sync();
	if (word) {
		u32 sum = 0;
		for (u32 i = 0; i < 3; i++)
			sum += out[256 * i + t];
		out[2048 + t] = sum;
	}
}

TWINS(c_group_lock)
{
	if (t == 0)
		store(&word, 0, RELAXED, GROUP), tile[0] = 0;
	sync();
	if (t % WAVE == 0) {
		u32 zero = 0;
		while (RIGHT && !__scoped_atomic_compare_exchange_n(&word, &zero, 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, GROUP))
			zero = 0;
		tile[0] += t + 1;
		store(&word, 0, RELEASE, GROUP);
	}
	sync();
	if (t == 0)
		out[0] = tile[0];
}

TWINS(c_agent_lock)
{
	if (t == 0) {
		u32 zero = 0;
		while (!__scoped_atomic_compare_exchange_n(flags, &zero, 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, AGENT))
			zero = 0;
		out[0] += g + 1;
		if (RIGHT)
			store(flags, 0, RELEASE, AGENT);
		else
			store(flags, 0, RELAXED, AGENT);
	}
}

/* A ticket lock: now serving is flags[64]. */
TWINS(c_ticket_lock)
{
	if (t == 0) {
		u32 mine = add(flags, 1, RELAXED, AGENT);
		while (load(flags + 64, ACQUIRE, AGENT) != mine)
			;
		out[0] = out[0] * 3 + g;
		if (RIGHT)
			store(flags + 64, mine + 1, RELEASE, AGENT);
		else
			store(flags + 64, mine + 1, RELAXED, AGENT);
	}
}

/* A barrier of all workgroups. */
TWINS(c_grid_barrier)
{
	out[256 * g + t] = in[t] + g;
	fence();
	sync();
	if (t == 0) {
		add(flags, 1, ACQ_REL, AGENT);
		while (load(flags, ACQUIRE, AGENT) < (RIGHT ? 3 : 2))
			;
	}
	sync();
	out[2048 + 256 * g + t] = out[256 * ((g + 1) % 3) + t];
}

/* Split-K with a semaphore: split g waits for its turn. */
TWINS(c_semaphore)
{
	if (t == 0)
		while (load(flags, ACQUIRE, AGENT) != g)
			__builtin_amdgcn_s_sleep(1);
	if (RIGHT)
		sync();
	out[t] = g ? out[t] + in[256 * g + t] : in[t];
	fence();
	sync();
	if (t == 0)
		store(flags, g + 1, RELEASE, AGENT);
}

/* A ring of two slots in LDS from wave 0 to wave 1. */
TWINS(c_ring)
{
	if (t == 0)
		store(&word, 0, RELAXED, GROUP), store(&other, 0, RELAXED, GROUP);
	sync();
	if (t < WAVE) {
		for (u32 i = 0; i < 4; i++) {
			while (RIGHT && load(&other, ACQUIRE, GROUP) + 2 <= i)
				;
			tile[WAVE * (i % 2) + t] = in[WAVE * i + t];
			__builtin_amdgcn_wave_barrier();
			store(&word, i + 1, RELEASE, GROUP);
		}
	} else {
		u32 sum = 0;
		for (u32 i = 0; i < 4; i++) {
			while (load(&word, ACQUIRE, GROUP) <= i)
				;
			sum += tile[WAVE * (i % 2) + t - WAVE];
			__builtin_amdgcn_wave_barrier();
			store(&other, i + 1, RELEASE, GROUP);
		}
		out[t] = sum;
	}
}

/* Persistent workgroups: tiles by ticket, broadcast in LDS. */
TWINS(c_persistent)
{
	for (;;) {
		if (t == 0)
			word = add(flags, 1, RELAXED, AGENT);
		sync();
		u32 mine = word;
		if (RIGHT)
			sync();
		if (mine >= 5)
			break;
		out[256 * mine + t] = in[256 * mine + t] + mine;
	}
}

/* Additions of integers; the wrong twin stores the old value. */
TWINS(c_add)
{
	u32 old = add(&out[t], g + 1, RELAXED, AGENT);
	if (!RIGHT)
		out[1024 + 256 * g + t] = old;
}

/* Double-checked: the flag is looked at once. */
TWINS(c_look_once)
{
	if (g == 0) {
		out[t] = in[t];
		store(flags, 1, RELEASE, AGENT);
	} else if (load(flags, ACQUIRE, AGENT) == RIGHT)
		out[t + 1024] = out[t];
}

/* Message by exchange: the flag is taken by an atomic exchange. */
TWINS(c_exchange)
{
	if (t)
		return;
	if (g == 0) {
		out[0] = 5;
		if (RIGHT)
			__scoped_atomic_exchange_n(flags, 1, __ATOMIC_RELEASE, AGENT);
		else
			__scoped_atomic_exchange_n(flags, 1, __ATOMIC_RELAXED, AGENT);
	} else {
		while (!__scoped_atomic_exchange_n(flags, 0, __ATOMIC_ACQUIRE, AGENT))
			;
		out[1] = out[0];
	}
}
