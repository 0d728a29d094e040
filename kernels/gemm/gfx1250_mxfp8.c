/* MXFP8 GEMM for gfx1250 with two stages in LDS: gfx1250_tile.h has its contract. Each wave copies
 * one of the four tiles of a step: codes of A, codes of B, scales of A, scales of B. The copies of
 * the next step go on while this step is multiplied.
 *
 *   step s:  wait for the own copy of s -> barrier -> copy s + 1 -> read s, WMMA
 *
 * After the barrier all tiles of s are in LDS, and all waves have read s - 1, whose place the
 * copies of s + 1 take. */
#include "../gfx1250.h"

enum { FORMAT_A = E4M3, FORMAT_B = E4M3, STEP = 128, BUFFERS = 2, WAVES_N = 2 };

#include "gfx1250_tile.h"

/* The wave's copy of this step is complete. */
#ifndef WAIT_COPY
#define WAIT_COPY() WAIT_TENSORCNT(0)
#endif

KERNEL(128)
void gfx1250_mxfp8_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                       const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	const struct matrices m = { C, A, SA, B, SB, M, N, K, ld_scale };
	const struct position at = find_position();
	const struct tile own = find_tile(&m, &at, WAVE() % 2, WAVE() / 2);
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	u32 s = 0, stage = 0;

	copy_step(own, 0, 0);
	do {
		WAIT_COPY();
		LDS_BARRIER();
		copy_step(own, s + 1, next_stage(stage));
		multiply_stage(&lds.stages[stage], &at, acc);
		stage = next_stage(stage);
	} while (++s * STEP < K);
	WAIT_TENSORCNT(0);
	store_product(&m, &at, acc);
}
