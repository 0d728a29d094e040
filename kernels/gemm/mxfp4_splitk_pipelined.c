/* Split-K MXFP4 GEMM on the pipelined product of preshuffled.h: workgroup z of a tile of C
 * computes the K tiles from z * split_tiles on.
 *
 * Operands are as in mxfp4_pipelined.c. Any M and N, K a multiple of 256, and no split is empty.
 * Each split runs without an epilogue, so an odd number of tiles has one of zeros.
 *
 * mxfp4_splitk_add_*: each split adds its part to C, in bf16 two neighbours at a time. C is given,
 * or cleared by the caller. The order of the splits is not defined, so in bf16 and in f32 the last
 * bits are not. In bf16 N is even, because an atomic addition takes a whole dword.
 *
 * mxfp4_splitk_ordered_bf16: each split writes its part to the workspace. The last workgroup of a
 * tile adds the parts in the order of the splits, and rounds once. Parts have the columns up to a
 * multiple of 16, so the padding of B must be written. `semaphores` has a counter for
 * each tile of C, cleared before the first launch, which the last workgroup clears again. `parts`
 * has 256 KiB for each split of each tile. */
#include "preshuffled.h"

typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));
typedef float f32x2 __attribute__((ext_vector_type(2)));

/* The K tile at which a split begins. */
#ifndef SPLIT_BEGIN
#define SPLIT_BEGIN(z, split_tiles) ((z) * (split_tiles))
#endif

/* Completes the wave's stores for the other workgroups. */
#ifndef RELEASE
#define RELEASE() __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent")
#endif

enum { PART = TILE * TILE * 4 };

struct split {
	struct matrices m;
	GLOBAL u8 *c;
	u32 split_tiles;
	GLOBAL u8 *parts;
	GLOBAL u32 *semaphores;
};

INLINE u32 tile_row(void) {
	return __builtin_amdgcn_workgroup_id_y() * TILE;
}

INLINE u32 tile_col(void) {
	return __builtin_amdgcn_workgroup_id_x() * TILE;
}

/* The workgroup's part of K. */
INLINE void multiply_split(const struct split *p, accumulators acc) {
	u32 z = __builtin_amdgcn_workgroup_id_z(), n = p->split_tiles, tiles = p->m.K / STEP;
	u32 from = SPLIT_BEGIN(z, n);
	struct wave w;

	w.p = find_operands(&p->m, tile_row(), tile_col(), from);
	multiply_masked(&w, at_most(tiles - z * n, n), acc);
}

/* ---- atomic additions ---- */

#define ADD(instruction, value, offset, descriptor, imm)                                           \
	asm volatile(instruction " %0, %1, %2, 0 offen offset:%3" ::"v"(value), "v"(offset),       \
	             "s"(descriptor), "n"(imm)                                                     \
	             : "memory")

/* A fragment, column r at offset at[r] + imm + r next. */
INLINE void add_bf16(u32x4 to, const u32 at[4], u32 imm, u32 next, f32x4 x) {
	f32x2 low = { x.x, x.y }, high = { x.z, x.w };
	u32 first = __builtin_bit_cast(u32, __builtin_convertvector(low, bf16x2));
	u32 second = __builtin_bit_cast(u32, __builtin_convertvector(high, bf16x2));
	ADD("buffer_atomic_pk_add_bf16", first, at[0], to, imm);
	ADD("buffer_atomic_pk_add_bf16", second, at[2], to, imm + 2 * next);
}

INLINE void add_f32(u32x4 to, const u32 at[4], u32 imm, u32 next, f32x4 x) {
#pragma unroll
	for (u32 r = 0; r < 4; r++) {
		float one = x[r];
		ADD("buffer_atomic_add_f32", one, at[r], to, imm + r * next);
	}
}

INLINE void add_fragment(u32x4 to, const u32 at[4], u32 imm, u32 next, u32 size, f32x4 x) {
	if (size == 2)
		add_bf16(to, at, imm, next, x);
	else
		add_f32(to, at, imm, next, x);
}

/* Fragments i, j by columns. */
INLINE void add_all_columns(const struct split *p, const struct output *o, u32 j, u32 size,
                            accumulators acc) {
	u32x4 to = make_descriptor(p->c + o->at, scalar(fragment_bytes(o, j, p->m.N)));
	u32 at[4];
	find_columns(o, j, p->m.N, size, at);
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
		add_fragment(to, at, 0, 0, size, accumulator(acc, i, j));
#pragma unroll
		for (u32 r = 0; r < 4; r++)
			at[r] += o->next_row;
		__builtin_amdgcn_sched_barrier(0);
	}
}

INLINE void add(const struct split *p, u32 size, accumulators acc) {
	u32 N = p->m.N, packed = PACKED_COLUMNS(N, size);
	struct output o = find_output(tile_row(), tile_col(), p->m.M, N, size, 0, WAVE() * COLUMNS);
	u32 at = o.offset;
	u32x4 to[FRAGS_N];
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		to[j] = make_descriptor(p->c + o.at, scalar(fragment_bytes(&o, j, packed)));
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			add_fragment(to[j], (u32[4]){ at, at, at, at }, j * 16 * size, size, size,
			             accumulator(acc, i, j));
		at += o.next_row;
		__builtin_amdgcn_sched_barrier(0);
	}
	if (o.col + COLUMNS <= packed)
		return;
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		if (IS_BY_COLUMNS(&o, j, packed, N))
			add_all_columns(p, &o, j, size, acc);
}

KERNEL(256) void mxfp4_splitk_add_bf16(struct split p) {
	accumulators acc;
	multiply_split(&p, acc);
	add(&p, 2, acc);
}

KERNEL(256) void mxfp4_splitk_add_f32(struct split p) {
	accumulators acc;
	multiply_split(&p, acc);
	add(&p, 4, acc);
}

/* ---- in order, by the last workgroup ---- */

SHARED volatile u32 arrived;

/* A tile's parts, one after the other. A lane's fragments are 16 bytes of 64 lanes each. */
struct tile_parts {
	u32 number, splits;
	GLOBAL u8 *first;
};

INLINE struct tile_parts find_parts(const struct split *p) {
	u32 tiles_n = ceil_div(p->m.N, TILE), splits = ceil_div(p->m.K / STEP, p->split_tiles);
	u32 number =
		__builtin_amdgcn_workgroup_id_y() * tiles_n + __builtin_amdgcn_workgroup_id_x();
	return (struct tile_parts){ number, splits, p->parts + (u64)number * splits * PART };
}

INLINE u32 part_offset(u32 i, u32 j) {
	return ((WAVE() * 2 * GROUPS + i) * FRAGS_N + j) * 1024 + LANE() * 16;
}

INLINE void store_part(const struct tile_parts *t, accumulators acc) {
	buffer part = make_buffer(t->first + (u64)__builtin_amdgcn_workgroup_id_z() * PART, PART);
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++) {
			u32x4 x = __builtin_bit_cast(u32x4, accumulator(acc, i, j));
			__builtin_amdgcn_raw_buffer_store_b128(x, part, part_offset(i, j), 0, 0);
		}
}

/* Whether all other splits of the tile have stored their parts. */
INLINE int is_last(GLOBAL u32 *semaphore, u32 splits) {
	RELEASE();
	LDS_BARRIER();
	if (WAVE() == 0 && LANE() == 0)
		arrived = __scoped_atomic_fetch_add(semaphore, 1, __ATOMIC_RELAXED,
		                                    __MEMORY_SCOPE_DEVICE);
	LDS_BARRIER();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
	return (u32)__builtin_amdgcn_readfirstlane(arrived) == splits - 1;
}

/* The sum of the fragment in the order of the splits. */
INLINE f32x4 add_parts(const struct tile_parts *t, u32 offset) {
	f32x4 sum = {};
	for (u32 z = 0; z < t->splits; z++) {
		buffer part = make_buffer(t->first + (u64)z * PART, PART);
		u32x4 x = __builtin_amdgcn_raw_buffer_load_b128(part, offset, 0, 0);
		sum = z ? sum + __builtin_bit_cast(f32x4, x) : __builtin_bit_cast(f32x4, x);
	}
	return sum;
}

/* Fragments i, j by columns. */
INLINE void reduce_columns(const struct split *p, const struct tile_parts *t,
                           const struct output *o, u32 j) {
	buffer to = make_buffer(p->c + o->at, fragment_bytes(o, j, p->m.N));
	u32 at[4];
	find_columns(o, j, p->m.N, 2, at);
	for (u32 i = 0; i < 2 * GROUPS; i++)
		store_columns(to, at, i * o->next_row, 2, add_parts(t, part_offset(i, j)));
}

INLINE void reduce(const struct split *p, const struct tile_parts *t) {
	u32 N = p->m.N, packed = PACKED_COLUMNS(N, 2);
	struct output o = find_output(tile_row(), tile_col(), p->m.M, N, 2, 0, WAVE() * COLUMNS);
	u32 offset = o.offset;
	for (u32 i = 0; i < 2 * GROUPS; i++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			store_fragment(make_buffer(p->c + o.at, fragment_bytes(&o, j, packed)),
			               offset + j * 32, 2, add_parts(t, part_offset(i, j)));
		offset += o.next_row;
	}
	if (o.col + COLUMNS <= packed)
		return;
	for (u32 j = 0; j < FRAGS_N; j++)
		if (IS_BY_COLUMNS(&o, j, packed, N))
			reduce_columns(p, t, &o, j);
}

KERNEL(256) void mxfp4_splitk_ordered_bf16(struct split p) {
	accumulators acc;
	struct tile_parts t = find_parts(&p);
	GLOBAL u32 *semaphore = p.semaphores + t.number;

	multiply_split(&p, acc);
	store_part(&t, acc);
	if (!is_last(semaphore, t.splits))
		return;
	reduce(&p, &t);
	if (WAVE() == 0 && LANE() == 0)
		__scoped_atomic_store_n(semaphore, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
