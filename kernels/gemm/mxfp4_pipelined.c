/* Pipelined MXFP4 GEMM on a preshuffled B, with an epilogue and without: C[M][N] = A[M][K] *
 * B[N][K]^T in f32 or bf16 (nearest even).
 *
 * Operands are as in mxfp4_preshuffled.h. Padding of scales must not be 0xFF. C is row-major. Any
 * M, N a multiple of 16. 256 rows of A and C, and 256 columns of B, are below 2 GiB.
 *
 * mxfp4_pipelined_*: K a multiple of 32. With at least LEAST_TILES whole tiles of K, an even number
 * of them is pipelined: a loop that loads ahead, and an epilogue of two tiles that does not. All
 * other tiles, among them one that K fills in part, are loaded and multiplied one by one.
 *
 * mxfp4_masked_*: K a multiple of 256. The loop does all tiles, and there is no epilogue: loads
 * ahead of the last tile have descriptors of 0 bytes. If the number of tiles is odd, the loop adds
 * one of zeros with scales of 2^-127, which is harmless but for a sum of -0, which becomes +0. */
#include "mxfp4_preshuffled.h"

typedef __bf16 bf16x4 __attribute__((ext_vector_type(4)));

/* The least number of whole tiles that are pipelined: two that begin and two that end. */
#ifndef LEAST_TILES
#define LEAST_TILES 4
#endif

INLINE void store_fragment(buffer to, u32 offset, u32 size, f32x4 x) {
	u32x2 halves = __builtin_bit_cast(u32x2, __builtin_convertvector(x, bf16x4));
	if (size == 2)
		__builtin_amdgcn_raw_buffer_store_b64(halves, to, offset, 0, 0);
	else
		__builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, x), to, offset, 0,
		                                       0);
}

INLINE void store(GLOBAL u8 *C, u32 row, u32 col, u32 M, u32 N, u32 size, accumulators acc) {
	struct output o = find_output(row, col, M, N, size);
	buffer to[FRAGS_N];
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		to[j] = make_buffer(C + o.at, o.bytes[j]);
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			store_fragment(to[j], o.offset + j * 16 * size, size,
			               accumulator(acc, i, j));
		o.offset += o.next_row;
		__builtin_amdgcn_sched_barrier(0); /* it would keep all accumulators in VGPRs */
	}
}

/* ---- with an epilogue ---- */

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
	w->at.reads[0] = w->p.reads[0];
	w->at.reads[1] = w->p.reads[1];
	read_first(w->p.reads, w->a[0]);
	do_tile(w, NOTHING, 0, &w->even, &w->odd, acc);
}

/* An even number of tiles, at least LEAST_TILES. */
INLINE void do_pipelined(struct wave *w, u32 tiles, accumulators acc) {
	begin(w, w->from.a);
	do_even(w, ALL, 1, acc);
	do_odd(w, ALL, acc);
	for (u32 s = 6; s <= tiles; s += 2) {
		do_even(w, ALL, 0, acc);
		do_odd(w, ALL, acc);
	}
	do_even(w, NO_A, 0, acc);
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

KERNEL(256) void mxfp4_pipelined_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 4);
}

KERNEL(256) void mxfp4_pipelined_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_pipelined(&m, C, 2);
}

/* ---- without an epilogue ---- */

INLINE void gemm_masked(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	struct wave w;
	accumulators acc;

	w.p = find_operands(m, row, col, 0);
	multiply_masked(&w, m->K / STEP, acc);
	store(C, row, col, m->M, m->N, size, acc);
}

KERNEL(256) void mxfp4_masked_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 4);
}

KERNEL(256) void mxfp4_masked_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 2);
}
