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

/* The bytes of scales that a tile past the last one may load, of which there are `all`. */
#ifndef SCALES_PAST
#define SCALES_PAST(all) "0"
#endif

/* Loads tile 0, and of tile 1 the part of A, by `second`. */
INLINE void begin(struct wave *w, u32x4 second) {
	u32 k = CONSTANT_SGPR(0);
	first_place(&w->p, &w->at);
	load_all_a(w->p.from.a, w->p.at.a, w->p.dma.first, k);
	load_all_direct(&w->from, &w->p.at, k, k, &w->even);
	load_all_a(second, w->p.at.a, w->p.dma.first + SLOT, CONSTANT_SGPR(A_STEP));
	WAIT_A(LOADS_DIRECT + LOADS_A);
	TILE_BARRIER();
	read_first(w->p.reads, w->a[0]);
}

INLINE void do_even(struct wave *w, enum ahead ahead, int from_zero, accumulators acc) {
	do_tile(w, ahead, from_zero, &w->even, &w->odd, acc);
	advance(&w->p, &w->at);
}

INLINE void do_odd(struct wave *w, enum ahead ahead, accumulators acc) {
	do_tile(w, ahead, 0, &w->odd, &w->even, acc);
	advance(&w->p, &w->at);
}

INLINE void store_fragment(buffer to, u32 offset, u32 size, f32x4 x) {
	u32x2 halves = __builtin_bit_cast(u32x2, __builtin_convertvector(x, bf16x4));
	if (size == 2)
		__builtin_amdgcn_raw_buffer_store_b64(halves, to, offset, 0, 0);
	else
		__builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, x), to, offset, 0,
		                                       0);
}

/* Rows past the last are past the end of the buffer. Columns past the last are whole fragments,
 * whose descriptors have 0 bytes. */
INLINE void store(GLOBAL u8 *C, u32 row, u32 col, u32 M, u32 N, u32 size, accumulators acc) {
	u32 first = col + WAVE() * COLUMNS, ld = N * size, bytes = at_most(M - row, TILE) * ld;
	u32 offset = LANE() % 16 * ld + (first + LANE() / 16 * 4) * size;
	buffer to[FRAGS_N];
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		to[j] = make_buffer(C + (u64)row * ld, first + 16 * j < N ? bytes : 0);
#pragma unroll
	for (u32 i = 0; i < 2 * GROUPS; i++) {
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			store_fragment(to[j], offset + j * 16 * size, size, accumulator(acc, i, j));
		offset += 16 * ld;
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

/* `bytes` for a tile below `tiles`, else 0. In assembly, because the compiler might select in
 * vector registers. */
INLINE u32 bytes_of(u32 s, u32 tiles, u32 bytes) {
	u32 masked;
	asm("s_cmp_lt_u32 %1, %2\n\ts_cselect_b32 %0, %3, 0"
	    : "=s"(masked)
	    : "s"(s), "s"(tiles), "s"(bytes)
	    : "scc");
	return masked;
}

/* The descriptors for the loads during tile s. */
INLINE void mask(struct wave *w, u32 s, u32 tiles) {
	const struct descriptors *all = &w->p.from;
	w->from.a.z = bytes_of(s + 2, tiles, all->a.z);
	asm("s_cmp_lt_u32 %3, %4\n\t"
	    "s_cselect_b32 %0, %5, 0\n\t"
	    "s_cselect_b32 %1, %6, " SCALES_PAST("%6") "\n\t"
	                                               "s_cselect_b32 %2, %7, " SCALES_PAST("%7")
	    : "=&s"(w->from.b.z), "=&s"(w->from.a_scales.z), "=&s"(w->from.b_scales.z)
	    : "s"(s + 1), "s"(tiles), "s"(all->b.z), "s"(all->a_scales.z), "s"(all->b_scales.z)
	    : "scc");
}

INLINE void do_two(struct wave *w, u32 s, u32 tiles, int from_zero, accumulators acc) {
	mask(w, s, tiles);
	do_even(w, ALL, from_zero, acc);
	mask(w, s + 1, tiles);
	do_odd(w, ALL, acc);
}

INLINE void gemm_masked(const struct matrices *m, GLOBAL u8 *C, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 tiles = m->K / STEP;
	struct wave w;
	accumulators acc;

	w.p = find_operands(m, row, col, 0);
	w.from = w.p.from;
	w.from.a.z = bytes_of(1, tiles, w.p.from.a.z);
	begin(&w, w.from.a);
	do_two(&w, 0, tiles, 1, acc);
	for (u32 s = 2; s < tiles; s += 2)
		do_two(&w, s, tiles, 0, acc);
	drain(&w.even, w.a[0]);
	store(C, row, col, m->M, m->N, size, acc);
}

KERNEL(256) void mxfp4_masked_f32(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 4);
}

KERNEL(256) void mxfp4_masked_bf16(struct matrices m, GLOBAL u8 *C) {
	gemm_masked(&m, C, 2);
}
