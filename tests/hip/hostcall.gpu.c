/* Kernels that call the host while they run, by a device side of the protocol of our own: a wave
 * sends 8 words of each lane and gets 2. And the barrier of a cooperative grid. */
#include "../../kernels/gfx950.h"

#define ANY_SIZE  __attribute__((device_kernel, amdgpu_flat_work_group_size(1, 1024)))
#define LOAD(p)   __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM)
#define ADD(p, n) __scoped_atomic_fetch_add(p, n, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM)

enum { HOSTCALL = 80, GRID = 88, HEAP = 96 }; /* offsets of hidden arguments */

typedef struct {
	u64 next, active;
	u32 service, control;
} header;

typedef struct {
	GLOBAL header *headers;
	GLOBAL u64 (*payloads)[64][8];
	GLOBAL u64 *doorbell;
	u64 free_stack, ready_stack, mask;
} hostcall_buffer;

INLINE GLOBAL void *hidden(u32 offset) {
	CONSTANT u8 *p = (CONSTANT u8 *)__builtin_amdgcn_implicitarg_ptr();
	return *(GLOBAL void *CONSTANT *)(p + offset);
}

INLINE u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}

/* ---- stacks ---- */

/* As in the device libraries: there is a packet for each wave. */
INLINE u64 pop(GLOBAL hostcall_buffer *b) {
	u64 top = LOAD(&b->free_stack), next;
	do
		next = LOAD(&b->headers[top & b->mask].next);
	while (!__scoped_atomic_compare_exchange_n(&b->free_stack, &top, next, 0, __ATOMIC_ACQUIRE,
	                                           __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM));
	return top;
}

/* The link is stored as any other word, though other waves may read it. */
INLINE void push(GLOBAL hostcall_buffer *b, GLOBAL u64 *stack, u64 link) {
	u64 top = LOAD(stack);
	do
		b->headers[link & b->mask].next = top;
	while (!__scoped_atomic_compare_exchange_n(stack, &top, link, 0, __ATOMIC_RELEASE,
	                                           __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM));
}

INLINE u64 uniform(u64 v) {
	return (u64)__builtin_amdgcn_readfirstlane((u32)(v >> 32)) << 32 |
	       (u32)__builtin_amdgcn_readfirstlane((u32)v);
}

/* ---- a call ---- */

typedef struct {
	u64 at[8];
} words;

INLINE u64 call(u32 service, const words *w) {
	GLOBAL hostcall_buffer *b = (GLOBAL hostcall_buffer *)hidden(HOSTCALL);
	u32 lane = LANE(), first = __builtin_amdgcn_readfirstlane(lane);
	u64 active = __builtin_amdgcn_read_exec(), link = 0;
	if (lane == first)
		link = pop(b);
	link = uniform(link);
	GLOBAL header *h = &b->headers[link & b->mask];
	GLOBAL u64 *mine = b->payloads[link & b->mask][lane];
	for (u32 i = 0; i < 8; i++)
		mine[i] = w->at[i];
	if (lane == first) {
		h->active = active;
		h->service = service;
		h->control = 1;
		push(b, &b->ready_stack, link);
		ADD(b->doorbell + 1, 1);
	}
	while (__builtin_amdgcn_readfirstlane(LOAD(&h->control)) & 1)
		__builtin_amdgcn_s_sleep(1);
	u64 result = mine[0];
	if (lane == first)
		push(b, &b->free_stack, link + b->mask + 1);
	return result;
}

/* ---- kernels ---- */

/* Each work-item sends n words, the first of which is the stream, in packets of at most 7. */
ANY_SIZE void prints(GLOBAL u64 *result, const GLOBAL u64 *message, u32 n) {
	u64 descriptor = 1;
	for (u32 from = 0; from < n; from += 7) {
		u32 part = n - from < 7 ? n - from : 7;
		words w = { { (descriptor & ~0xe0ul) | part << 5 | (from + part == n ? 2 : 0) } };
		for (u32 i = 0; i < 7; i++)
			w.at[1 + i] = i < part ? message[from + i] : 0;
		descriptor = call(2, &w);
	}
	result[__builtin_amdgcn_workgroup_id_x() * 128 + me()] = descriptor;
}

/* A failed assertion, as the device libraries have it: a message and a trap. */
ANY_SIZE void asserts(const GLOBAL words *message) {
	words w = *message;
	call(2, &w);
	__builtin_trap();
}

/* Each work-item calls the service with its own words. The kernel has a heap, which is empty. */
ANY_SIZE void calls(GLOBAL u64 *result, const GLOBAL words *given, u32 service) {
	words w = given[me()];
	if (!*(GLOBAL u64 *)hidden(HEAP))
		result[me()] = call(service, &w);
}

/* A word in memory that the host gave. */
ANY_SIZE void stores(GLOBAL u64 *const GLOBAL *at) {
	*at[me()] = 7 * me();
}

/* Workgroups add up what the others have written before the barrier of the grid. */
ANY_SIZE void across(GLOBAL u32 *sum, GLOBAL u32 *each, u32 n) {
	GLOBAL u32 *grid = (GLOBAL u32 *)hidden(GRID);
	u32 group = __builtin_amdgcn_workgroup_id_x(), total = 0;
	if (!grid)
		return;
	if (me() == 0) {
		each[group] = group + 1;
		u32 was = __scoped_atomic_fetch_add(&grid[8], 1, __ATOMIC_RELEASE,
		                                    __MEMORY_SCOPE_DEVICE);
		while (was < grid[10] && __scoped_atomic_load_n(&grid[8], __ATOMIC_ACQUIRE,
		                                                __MEMORY_SCOPE_DEVICE) < grid[10])
			__builtin_amdgcn_s_sleep(1);
		for (u32 i = 0; i < n; i++)
			total += each[i];
		sum[group] = total;
	}
}
