/* Runs a program of phases on both sides: on gfx950 as a kernel whose work-items meet at a
 * barrier after each phase, on the host as loops over the work-items, phase after phase.
 *
 * A program defines, before it includes this file:
 *   ITEMS, GROUPS, WORDS   work-items of a workgroup, workgroups, 64-bit results of a work-item
 *   TOTALS                 64-bit words after all results, zero at first, for atomics
 *   PHASES(X)              X(name) for each phase
 * and after it struct shared (in LDS, initially unwritten), struct item (a work-item's state; its
 * first member is struct place) and the phases: void name(struct item *self). It ends with
 * PROGRAM. A phase must not depend on the order in which work-items run.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;

#ifdef __AMDGCN__
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#else
#define GLOBAL
#define LDS
#define SHARED static
#endif
#define NOINLINE __attribute__((noinline))

struct place {
	u32 me, group;
	GLOBAL u64 *out;    /* WORDS results of this work-item */
	GLOBAL u64 *totals; /* TOTALS words of all */
};

static inline struct place place_of(GLOBAL u64 *out, u32 group, u32 me) {
	return (struct place){ me, group, out + (u64)WORDS * (group * ITEMS + me),
		               out + (u64)WORDS * GROUPS * ITEMS };
}

#ifdef __AMDGCN__
#define CALL_PHASE(name)                                                                           \
	name(&self);                                                                               \
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                     \
	__builtin_amdgcn_s_barrier();                                                              \
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");

#ifdef __cplusplus
#define C_LINKAGE extern "C"
#else
#define C_LINKAGE
#endif
#define PROGRAM                                                                                    \
	C_LINKAGE __attribute__((device_kernel, amdgpu_flat_work_group_size(ITEMS, ITEMS))) void   \
	program(GLOBAL u64 *out) {                                                                 \
		struct item self;                                                                  \
		self.place = place_of(out, __builtin_amdgcn_workgroup_id_x(),                      \
		                      __builtin_amdgcn_workitem_id_x());                           \
		PHASES(CALL_PHASE)                                                                 \
	}
#else
#include <stdio.h>
#include <unistd.h>

#define CALL_PHASE(name)                                                                           \
	for (u32 i = 0; i < ITEMS; i++)                                                            \
		name(&items[i]);

/* The results on standard output; a program that takes longer than a few seconds ends itself. */
#define PROGRAM                                                                                    \
	int main(void) {                                                                           \
		static u64 out[WORDS * GROUPS * ITEMS + TOTALS];                                   \
		static struct item items[ITEMS];                                                   \
		alarm(5);                                                                          \
		for (u32 group = 0; group < GROUPS; group++) {                                     \
			for (u32 i = 0; i < ITEMS; i++)                                            \
				items[i].place = place_of(out, group, i);                          \
			PHASES(CALL_PHASE)                                                         \
		}                                                                                  \
		return fwrite(out, sizeof out, 1, stdout) != 1;                                    \
	}
#endif

#endif
