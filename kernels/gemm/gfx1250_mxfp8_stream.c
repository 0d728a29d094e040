/* MXFP8 GEMM for gfx1250 that streams B: gfx1250_tile.h has its contract, but here B is
 * preshuffled in blocks of 16 rows x 16 bytes (rows past N are padding), and K is a multiple of
 * 128.
 *
 * The four waves are side by side and share A, which comes to LDS by tensor copies, as all scales
 * do. Only one wave has a given column of B, so B goes from memory to its registers: a lane's 16
 * bytes are next to those of its neighbours. There are two sets of registers; the next step's loads
 * are in flight while this step is multiplied.
 *
 *   step s:  wait for the own copy of s -> barrier -> copy s + 1, load B of s + 1 -> read s, WMMA
 */
#include "../gfx1250.h"

enum { FORMAT_A = E4M3, FORMAT_B = E4M3, STEP = 128, BUFFERS = 2, WAVES_N = 4 };

#include "gfx1250_tile.h"

/* The wave's copy of this step is complete. */
#ifndef WAIT_COPY
#define WAIT_COPY() WAIT_TENSORCNT(0)
#endif

/* A wave's copies and loads. Wave 1 copies nothing. */
struct source {
	bool copies;
	struct tile own;
	const GLOBAL u8 *b[FRAGS_N]; /* the lane's first 16 bytes of a block of rows */
	u32 last;                    /* step */
};

INLINE struct source find_source(const struct matrices *m, const struct position *at) {
	struct source from = { .copies = WAVE() != 1,
		               .own = find_tile(m, at, WAVE() == 3, WAVE() >= 2),
		               .last = m->K / STEP - 1 };
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++) {
		u32 block = (at->col + at->wave_col) / FRAGMENT + j, last = (m->N - 1) / FRAGMENT;
		u64 first = (u64)(block < last ? block : last) * FRAGMENT * m->K;
		from.b[j] = m->b + first + LANE() * 16;
	}
	return from;
}

/* After the last step: of that step again, as nothing uses them. */
INLINE void load_b(const struct source *from, u32 s, i32x16 to[FRAGS_N]) {
	u64 at = (u64)(s < from->last ? s : from->last) * STEP * FRAGMENT;
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++) {
		union {
			u32x4 chunks[4];
			i32x16 all;
		} x;
#pragma unroll
		for (u32 i = 0; i < 4; i++)
			x.chunks[i] = *(const GLOBAL u32x4 *)(from->b[j] + at + 512 * i);
		to[j] = x.all;
	}
}

INLINE void copy_own(const struct source *from, u32 s, u32 stage) {
	if (from->copies)
		copy_step(from->own, s, stage);
}

/* A step, with B in `now`; that of the next one comes to `next`. */
INLINE void do_step(const struct source *from, const struct position *at, u32 s, u32 stage,
                    const i32x16 now[FRAGS_N], i32x16 next[FRAGS_N], f32x8 acc[FRAGS_M][FRAGS_N]) {
	struct operands x;
	WAIT_COPY();
	LDS_BARRIER();
	copy_own(from, s + 1, next_stage(stage));
	load_b(from, s + 1, next);
	__builtin_amdgcn_sched_barrier(0); /* it would load after the products, to save registers */
	read_a(&lds.stages[stage], at->wave_row, 0, &x);
	read_scales_b(&lds.stages[stage], at->wave_col, 0, &x);
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++)
		x.b[j] = now[j];
	multiply(&x, acc);
}

KERNEL(128)
void gfx1250_mxfp8_stream_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA,
                              const GLOBAL u8 *B, const GLOBAL u8 *SB, u32 M, u32 N, u32 K,
                              u32 ld_scale) {
	const struct matrices m = { C, A, SA, B, SB, M, N, K, ld_scale };
	const struct position at = find_position();
	const struct source from = find_source(&m, &at);
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	i32x16 even[FRAGS_N], odd[FRAGS_N];
	u32 s = 0;

	copy_own(&from, 0, 0);
	load_b(&from, 0, even);
	for (; s < from.last; s += 2) {
		do_step(&from, &at, s, 0, even, odd, acc);
		do_step(&from, &at, s + 1, 1, odd, even, acc);
	}
	if (s == from.last)
		do_step(&from, &at, s, 0, even, odd, acc);
	WAIT_TENSORCNT(0);
	store_product(&m, &at, acc);
}
