/* Clusters of workgroups on gfx1250, right and broken, for gfx1250_clusters_test. */
#define GLOBAL    __attribute__((address_space(1)))
#define LDS       __attribute__((address_space(3)))
#define SHARED    static LDS __attribute__((loader_uninitialized, aligned(16)))
#define KERNEL(n) __attribute__((amdgpu_kernel, reqd_work_group_size(n, 1, 1))) void

typedef unsigned u32;
typedef unsigned long u64;
typedef int v4i __attribute__((ext_vector_type(4)));
typedef int v8i __attribute__((ext_vector_type(8)));

enum { GROUP = 64, GRID_X = 4, TILE = 32 };

static inline u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}
static inline u32 group(void) {
	return __builtin_amdgcn_workgroup_id_x() + GRID_X * __builtin_amdgcn_workgroup_id_y();
}

/* What a workgroup reads of its cluster. */
KERNEL(GROUP) places(GLOBAL u32 *y, u32 unused) {
	(void)unused;
	GLOBAL u32 *to = y + 6 * group();
	to[0] = __builtin_amdgcn_cluster_workgroup_flat_id();
	to[1] = __builtin_amdgcn_cluster_workgroup_id_x();
	to[2] = __builtin_amdgcn_cluster_workgroup_id_y();
	to[3] = __builtin_amdgcn_cluster_id_x();
	to[4] = __builtin_amdgcn_cluster_id_y();
	to[5] = __builtin_amdgcn_cluster_workgroup_max_flat_id();
}

/* Each workgroup of a 2x2 cluster reads, round after round, what its neighbour along X wrote. */
#define EXCHANGE(name, WAIT, BARRIER)                                                              \
	KERNEL(GROUP) name(GLOBAL u32 *y, u32 rounds) {                                            \
		u32 sum = 0, mine = group() * GROUP + me(), other = (group() ^ 1) * GROUP + me();  \
		for (u32 k = 0; k < rounds; k++) {                                                 \
			__builtin_nontemporal_store(mine + k, y + mine);                           \
			asm volatile(WAIT ::: "memory");                                           \
			BARRIER;                                                                   \
			sum += __builtin_nontemporal_load(y + other);                              \
			asm volatile("s_wait_loadcnt 0" ::"v"(sum) : "memory");                    \
			BARRIER;                                                                   \
		}                                                                                  \
		y[mine] = sum;                                                                     \
	}
EXCHANGE(exchange, "s_wait_storecnt 0", __builtin_amdgcn_s_cluster_barrier())
EXCHANGE(exchange_early, "s_nop 0", __builtin_amdgcn_s_cluster_barrier())
EXCHANGE(exchange_alone, "s_wait_storecnt 0", __builtin_amdgcn_s_barrier())

/* One workgroup of each cluster leaves out its signal. */
KERNEL(32) stuck(GLOBAL u32 *y, u32 unused) {
	(void)y, (void)unused;
	if (__builtin_amdgcn_cluster_workgroup_flat_id())
		asm volatile("s_barrier_signal -3");
	asm volatile("s_barrier_wait -3");
}

enum { AFTER_ALL, EARLY, EARLY_AND_SLOW };

/* The first wave signals for its workgroup: after all its waves have waited for the last
 * completion, or when they may not have done so. */
KERNEL(GROUP) signals(GLOBAL u32 *y, u32 when) {
	u32 first = __builtin_amdgcn_readfirstlane(me()) == 0;
	for (u32 k = 0; k < 3; k++) {
		asm volatile("s_barrier_signal -1");
		if (when == AFTER_ALL)
			asm volatile("s_barrier_wait -1");
		if (first)
			asm volatile("s_barrier_signal -3");
		if (when != AFTER_ALL)
			asm volatile("s_barrier_wait -1");
		if (when == EARLY_AND_SLOW && !first)
			__builtin_amdgcn_s_sleep(100);
		asm volatile("s_barrier_wait -3");
	}
	y[group() * GROUP + me()] = me();
}

/* The workgroups of a row of a cluster load the same tile together, by tensor descriptor and by
 * lane. */
SHARED volatile u32 tile[2][TILE];

static inline __attribute__((always_inline)) void load(const GLOBAL u32 *from, u32 mask) {
	u64 at = (u64)from;
	v4i group0 = { 1, (int)(u32)(u64)tile[0], (int)(u32)at, (int)((u32)(at >> 32) | 2u << 30) };
	v8i group1 = { (int)(2 << 16 | mask), TILE << 16, 0, TILE << 16 };
	__builtin_amdgcn_tensor_load_to_lds_d2(group0, group1, 0);
	asm volatile("s_wait_tensorcnt 0" ::: "memory");
}

KERNEL(32) multicast(GLOBAL u32 *y, u32 mask) {
	u32 row = __builtin_amdgcn_cluster_workgroup_id_y();
	const GLOBAL u32 *from = y + GRID_X * GRID_X * TILE + row * TILE;
	load(from, mask << 2 * row);
	__builtin_amdgcn_cluster_load_async_to_lds_b32(
		(GLOBAL int *)from + me(), (LDS int *)&tile[1][me()], 0, 0, (int)(mask << 2 * row));
	asm volatile("s_wait_asynccnt 0" ::: "memory");
	y[group() * TILE + me()] = tile[0][me()] + tile[1][me()];
}
