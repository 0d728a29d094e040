/* Support for gfx1250 kernels in C: waits and barriers, tensor copies, operands of scaled WMMAs.
 * For device code only. */
#ifndef GFX1250_H
#define GFX1250_H

#include "amdgcn.h"

typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef float f32x16 __attribute__((ext_vector_type(16)));

/* At least one wave on each SIMD, so that a wave may have all 1,024 VGPRs. */
#define KERNEL(threads)                                                                            \
	__attribute__((device_kernel, amdgpu_flat_work_group_size(threads, threads),               \
	               amdgpu_waves_per_eu(1)))

#define LANE() (__builtin_amdgcn_workitem_id_x() & 31)
/* Uniform within a wave, also for the compiler. */
#define WAVE() __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() >> 5)

/* ---- waits and barriers ----
 *
 * In assembly, so that the compiler moves no memory access across them. Each counter has a wait of
 * its own; a barrier is a signal and a wait, between which a wave does what needs no order. */

#define WAIT_TENSORCNT(n) asm volatile("s_wait_tensorcnt %0" : : "n"(n) : "memory")
#define WAIT_DSCNT(n)     asm volatile("s_wait_dscnt %0" : : "n"(n) : "memory")

/* A barrier in two parts. The signal waits for the wave's accesses to LDS itself, because the
 * compiler may move its own wait for a value past the signal. Code between the parts stays there:
 * without the scheduling barriers the compiler would bring both parts together. */
#define SIGNAL_AFTER_LDS()                                                                         \
	do {                                                                                       \
		asm volatile("s_wait_dscnt 0\n\ts_barrier_signal -1" ::: "memory");                \
		__builtin_amdgcn_sched_barrier(0);                                                 \
	} while (0)
#define AWAIT_SIGNALS()                                                                            \
	do {                                                                                       \
		__builtin_amdgcn_sched_barrier(0);                                                 \
		asm volatile("s_barrier_wait -1" ::: "memory");                                    \
	} while (0)

/* After it, the earlier LDS accesses of every wave of the workgroup are complete. */
#define LDS_BARRIER()                                                                              \
	asm volatile("s_wait_dscnt 0\n\ts_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory")

/* The barrier of a cluster. One wave of each workgroup signals, any wave may wait. Without a
 * cluster both have no effect. */
#define SIGNAL_CLUSTER() asm volatile("s_barrier_signal -3" ::: "memory")
#define AWAIT_CLUSTER()  asm volatile("s_barrier_wait -3" ::: "memory")

/* ---- barriers in LDS ----
 *
 * Waves and tensor copies arrive at them. A barrier opens when as many have arrived as it expects,
 * and begins again: bits 28:0 count down what is missing less one, bits 31:29 how often it has
 * opened, bits 63:32 have the count to begin with [CDNA5 ISA 11.2.2; compiled code]. */

typedef volatile LDS u64 lds_barrier;

INLINE u32 address_of(const lds_barrier *b) {
	return (u32)(const LDS u64 *)b;
}

/* Before others use it, the workgroup meets. */
INLINE void init_arrivals(lds_barrier *b, u32 expected) {
	*b = (u64)(expected - 1) << 32 | (expected - 1);
}

/* Each active lane arrives. The wave's earlier accesses to LDS are complete. */
INLINE void arrive(lds_barrier *b) {
	u64 before;
	asm volatile(
		"s_wait_dscnt 0\n\tds_atomic_barrier_arrive_rtn_b64 %0, %1, %2\n\ts_wait_dscnt 0"
		: "=v"(before)
		: "v"(address_of(b)), "v"(1ul)
		: "memory");
}

/* Until it has opened an even or odd number of times, the one that comes next. */
INLINE void await_arrivals(const lds_barrier *b, u32 odd) {
	const volatile LDS u32 *count = (const volatile LDS u32 *)b;
	while ((__builtin_amdgcn_readfirstlane(*count) >> 29 & 1) != odd)
		__builtin_amdgcn_s_sleep(1);
	asm volatile("" ::: "memory");
}

/* ---- buffers ---- */

typedef __amdgpu_buffer_rsrc_t buffer;

/* Raw buffer: offsets are bytes, checked against `bytes`. */
INLINE buffer make_buffer(const GLOBAL void *base, u32 bytes) {
	return __builtin_amdgcn_make_buffer_rsrc((void *)base, 0, bytes, 0);
}

/* ---- tensor copies: whole tiles between memory and LDS, beside the waves [CDNA5 ISA 10.11] ----
 *
 * One instruction of a wave copies a tile. Copies of a wave are in order, so that tensorcnt counts
 * those that are not complete; nothing orders them with other accesses. */

/* What a descriptor says beside places and sizes, and the mask of the workgroups of a cluster that
 * load together. */
enum {
	TILE_OF_HALVES = 1 << 16, /* elements of 2 bytes */
	TILE_OF_DWORDS = 2 << 16, /* of 4 bytes; without either, of one byte */
	TILE_ARRIVES =
		1 << 18, /* at the barrier `arrival`, when it and those before it are there */
};
/* In LDS, after each `bytes` of a load, a power of two from 8 to 1,024. */
#define PAD_16_AFTER(bytes) (1 << 20 | (__builtin_ctz(bytes) - 3) << 22 | 3 << 25)

/* A tile of rows x columns elements at `memory`, in a matrix whose rows are `stride` elements
 * apart. From the tile's first element on, the matrix has `below` rows and `right` columns: a load
 * writes zeros for what is past them, a store leaves it out. In LDS the tile is packed. */
struct tile {
	u32 flags, columns, rows, right, below, stride;
	const GLOBAL u8 *memory;
	LDS u8 *lds;
	u32 arrival; /* if it has TILE_ARRIVES: the barrier's address in LDS */
};

INLINE i32x4 tile_places(const struct tile *t) {
	enum { VALID = 1, IMAGE = 2u << 30 };
	u64 at = (u64)t->memory;
	return (i32x4){ VALID, (int)(u32)t->lds, (int)(u32)at, (int)((u32)(at >> 32) | IMAGE) };
}

INLINE i32x8 tile_sizes(const struct tile *t) {
	return (i32x8){
		(int)t->flags,
		(int)(t->arrival / 8 | t->right << 16),
		(int)(t->right >> 16 | t->below << 16),
		(int)(t->below >> 16 | t->columns << 16),
		(int)t->rows,
		(int)t->stride,
	};
}

INLINE void load_tile(const struct tile *t) {
	__builtin_amdgcn_tensor_load_to_lds_d2(tile_places(t), tile_sizes(t), 0);
}

INLINE void store_tile(const struct tile *t) {
	__builtin_amdgcn_tensor_store_from_lds_d2(tile_places(t), tile_sizes(t), 0);
}

/* What a matrix of `size` rows or columns, below 2^31, has from `at` on. */
INLINE u32 rest(u32 size, u32 at) {
	int n = (int)(size - at);
	return n > 0 ? (u32)n : 0;
}

/* ---- operands of scaled WMMAs ---- */

enum { FRAGMENT = 16, WMMA_K = 128 };

/* Formats of codes and scales, as instructions name them. */
enum { E4M3 = 0, E2M1 = 4, SCALES_E8M0 = 0, SCALES_E5M3 = 1, SCALES_E4M3 = 2 };

/* Bytes of n codes. */
#define CODE_BYTES(format, n) ((format) == E2M1 ? (n) / 2 : (n))

/* A lane's bytes of a fragment of 16 rows of 128 codes, `pitch` bytes apart: of row lane % 16 every
 * second chunk of 16 bytes, from chunk lane / 16 on. Codes of 4 bits take half of the registers. */
INLINE i32x16 read_codes(const LDS u8 *rows, u32 pitch, u32 format) {
	const LDS u8 *at = rows + LANE() % FRAGMENT * pitch + LANE() / FRAGMENT * 16;
	union {
		u32x4 chunks[4];
		i32x16 all;
	} x = {};
#pragma unroll
	for (u32 i = 0; i < CODE_BYTES(format, WMMA_K) / 32; i++)
		x.chunks[i] = *(const LDS u32x4 *)(at + 32 * i);
	return x.all;
}

#endif
