/* A tile of C by the pipelined product of preshuffled.h, with an epilogue and without. For device
 * code only.
 *
 * gemm_pipelined: with at least LEAST_TILES whole tiles of K, an even number of them is pipelined:
 * a loop that loads ahead, and an epilogue that does not. All other tiles, among them one that K
 * fills in part, are loaded and multiplied one by one.
 *
 * gemm_masked: the loop does all tiles, which must be whole, and there is no epilogue: loads ahead
 * of the last tile have descriptors of 0 bytes. If the number of tiles is odd, the loop adds one of
 * zeros with scales of 2^-127, which is harmless but for a sum of -0, which becomes +0.
 *
 * Fragments that are stored by columns have a second pass. In the first one their descriptors have
 * 0 bytes. */
#ifndef PIPELINED_H
#define PIPELINED_H

#include "preshuffled.h"

/* The least number of whole tiles that are pipelined: two that begin and two that end. */
#ifndef LEAST_TILES
#define LEAST_TILES 4
#endif

/* Fragments i, j by columns. */
INLINE void store_all_columns(GLOBAL u8 *C, const struct output *o, u32 j, u32 N, u32 size,
                              accumulators acc) {
	buffer to = make_buffer(C + o->at, fragment_bytes(o, j, N));
	u32 at[4];
	find_columns(o, j, N, size, at);
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
		store_columns(to, at, i * o->next_row, size, accumulator(acc, i, j));
		__builtin_amdgcn_sched_barrier(0);
	}
}

INLINE void store(GLOBAL u8 *C, u32 row, u32 col, u32 M, u32 N, u32 size, accumulators acc) {
	struct output o = find_output(row, col, M, N, size, 0, WAVE() * COLUMNS);
	u32 packed = PACKED_COLUMNS(N, size), offset = o.offset;
	buffer to[FRAGS_N];
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		to[j] = make_buffer(C + o.at, fragment_bytes(&o, j, packed));
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			store_fragment(to[j], offset + j * 16 * size, size, accumulator(acc, i, j));
		offset += o.next_row;
		__builtin_amdgcn_sched_barrier(0); /* it would keep all accumulators in VGPRs */
	}
	if (o.col + COLUMNS <= packed)
		return;
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		if (IS_BY_COLUMNS(&o, j, packed, N))
			store_all_columns(C, &o, j, N, size, acc);
}

/* A tile by itself. */
INLINE void do_alone(struct wave *w, u32 s, u32 K, accumulators acc) {
	struct offsets at;
	find_offsets(&at, K, K - s * STEP);
	BARRIER(); /* the tile before has been read */
	load_all_a(w->from.a, at.a, w->p.dma.first, scalar(s * A_STEP));
	load_all_direct(&w->from, &at, scalar(s * B_STEP), scalar(s * SCALE_STEP), &w->even);
	keep(&at);
	WAIT_VMCNT(0);
	BARRIER();
	first_place(&w->p, &w->at);
	read_first(w->p.reads, w->a[0]);
	do_tile(w, NOTHING, 0, &w->even, &w->odd, acc);
}

/* An even number of tiles, at least LEAST_TILES. */
INLINE void do_pipelined(struct wave *w, u32 tiles, accumulators acc) {
	begin(w, tiles, w->from.a);
	do_even(w, ALL, 1, acc);
	do_odd(w, ALL, acc);
	for (u32 s = 6; s <= tiles; s += 2) {
		do_even(w, ALL, 0, acc);
		do_odd(w, ALL, acc);
	}
	do_even(w, AHEAD > 1 ? NO_A : ALL, 0, acc);
	do_tile(w, NOTHING, 0, &w->odd, &w->even, acc);
}

INLINE void gemm_pipelined(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 K = m->K, whole = K / STEP, pipelined = whole >= LEAST_TILES ? whole & ~1u : 0;
	struct wave w;
	accumulators acc;

	w.p = find_operands(m, row, col, 0);
	w.from = w.p.from;
	if (pipelined)
		do_pipelined(&w, pipelined, acc);
	else
		clear(acc);
	for (u32 s = pipelined; s * STEP < K; s++)
		do_alone(&w, s, K, acc);
	store(C, row, col, m->M, m->N, size, acc);
}

INLINE void gemm_masked(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	struct wave w;
	accumulators acc;

	w.p = find_operands(m, row, col, 0);
	multiply_masked(&w, m->K / STEP, acc);
	store(C, row, col, m->M, m->N, size, acc);
}

#endif
