/* Unoptimised code as clang compiles it: every variable is in scratch, calls go through registers,
 * and generic pointers may point to scratch, LDS or global memory. The last kernel is optimised,
 * and uses scratch instructions. */
#include "../../kernels/gfx950.h"

#define PLAIN __attribute__((optnone, noinline))

static PLAIN u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}

/* Sorts in place, in any memory. */
static PLAIN void sort(u32 *a, u32 n) {
	for (u32 i = 1; i < n; i++)
		for (u32 k = i; k && a[k - 1] > a[k]; k--) {
			u32 t = a[k];
			a[k] = a[k - 1];
			a[k - 1] = t;
		}
}

static PLAIN u32 next(u32 *state) {
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

enum { N = 24, THREADS = 128 };

/* Each work-item sorts N numbers in its scratch, in LDS and in global memory: three rows of out. */
PLAIN KERNEL(THREADS) void sort_three_ways(GLOBAL u32 *out) {
	static LDS u32 shared[THREADS][N] __attribute__((loader_uninitialized));
	u32 own[N], state = me() + 1;
	GLOBAL u32 *mine = out + me() * 3 * N;
	for (u32 i = 0; i < N; i++)
		own[i] = shared[me()][i] = mine[2 * N + i] = next(&state);
	sort(own, N);
	sort((u32 *)shared[me()], N);
	sort((u32 *)(mine + 2 * N), N);
	for (u32 i = 0; i < N; i++) {
		mine[i] = own[i];
		mine[N + i] = shared[me()][i];
	}
}

/* The lanes of a wave access different memories in one flat instruction. */
static PLAIN u32 add(u32 *p, u32 v) {
	u32 old = *p;
	*p = old + v;
	return old;
}

PLAIN KERNEL(64) void mixed(GLOBAL u32 *out) {
	static LDS u32 shared[64] __attribute__((loader_uninitialized));
	u32 own = 100 + me(), *p = &own;
	shared[me()] = 200 + me();
	out[me()] = 300 + me();
	if (me() % 3 == 1)
		p = (u32 *)&shared[me()];
	if (me() % 3 == 2)
		p = (u32 *)&out[me()];
	out[64 + me()] = add(p, 7);
	out[128 + me()] = own;
	out[192 + me()] = shared[me()];
}

/* Counters and sums of all work-items. */
PLAIN KERNEL(THREADS) void atomics(GLOBAL u32 *out, GLOBAL u64 *wide, GLOBAL float *sum,
                                   GLOBAL double *exact) {
	u32 *generic = (u32 *)&out[1];
	__atomic_fetch_add(&out[0], 1, __ATOMIC_RELAXED);
	out[8 + me()] = __atomic_fetch_add(generic, 1, __ATOMIC_RELAXED);
	__atomic_fetch_max(&out[2], me() * 5 % THREADS, __ATOMIC_RELAXED);
	__atomic_fetch_or(&out[3], 1u << me() % 32, __ATOMIC_RELAXED);
	__atomic_fetch_xor(&wide[0], (u64)me() << 32 | me(), __ATOMIC_RELAXED);
	__atomic_fetch_add(sum, 0.5f, __ATOMIC_RELAXED);
	__atomic_fetch_add(exact, 0.25, __ATOMIC_RELAXED);
	u64 seen = wide[1];
	while (!__atomic_compare_exchange_n(&wide[1], &seen, seen + me(), 0, __ATOMIC_RELAXED,
	                                    __ATOMIC_RELAXED))
		;
}

/* An access beyond the private array of the caller, and beyond the segment. */
PLAIN KERNEL(64) void too_far(GLOBAL u32 *out, u32 at) {
	volatile u32 own[4];
	for (u32 i = 0; i < 4; i++)
		own[i] = i;
	out[me()] = own[at];
}

/* Counts bytes in a table too large for registers. */
enum { KINDS = 200 };
KERNEL(64) void count(GLOBAL u32 *out, const GLOBAL u8 *bytes, u32 n) {
	u32 table[KINDS];
	u8 last[KINDS];
	for (u32 i = 0; i < KINDS; i++)
		table[i] = last[i] = 0;
	for (u32 i = 0; i < n; i++) {
		u32 kind = bytes[i * 64 + LANE()];
		table[kind]++;
		last[kind] = (u8)i;
	}
	for (u32 i = 0; i < KINDS; i++)
		out[i * 64 + LANE()] = table[i] << 8 | last[i];
}
