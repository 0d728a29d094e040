/* MXFP8 GEMM for gfx1250 with bf16 output, whose waves and tensor copies meet at barriers in LDS.
 * gfx1250_tile.h has its contract. Each wave copies one of the four tiles of a step, to one of
 * three stages: codes of A, codes of B, scales of A, scales of B. A copy arrives at the barrier
 * `full` of its stage when the tile is there, so that no wave waits for its copies; a wave arrives
 * at `empty` when it has read the stage. No wave waits for one that it does not need, and none
 * waits for its workgroup before the end.
 *
 *   step s:  wait until stage s + 2 is empty -> copy s + 2 -> wait until stage s is full -> read it
 *            -> arrive at its `empty` -> WMMA */
#include "../gfx1250.h"

#define OUTPUT __bf16
enum { FORMAT_A = E4M3, FORMAT_B = E4M3, STEP = 128, BUFFERS = 3, WAVES_N = 2 };

#include "gfx1250_tile.h"

/* What each barrier expects: the copies of a step; the lanes of the workgroup. */
#ifndef COPIES
#define COPIES WAVES
#endif
enum { LANES = 32 * WAVES };

SHARED u64 full[BUFFERS], empty[BUFFERS];

INLINE void init_barriers(void) {
	for (u32 i = 0; i < BUFFERS && __builtin_amdgcn_workitem_id_x() == 0; i++) {
		init_arrivals(&full[i], COPIES);
		init_arrivals(&empty[i], LANES);
	}
	LDS_BARRIER();
}

/* The stage of a step is empty from the start, then each time that all lanes have read it. */
INLINE void fill_stage(struct tile t, u32 s, u32 stage) {
	await_arrivals(&empty[stage], s / BUFFERS & 1);
	t.flags |= TILE_ARRIVES;
	t.arrival = address_of(&full[stage]);
	copy_step(t, s, stage);
}

KERNEL(128)
void gfx1250_arrivals_bf16(GLOBAL __bf16 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA,
                           const GLOBAL u8 *B, const GLOBAL u8 *SB, u32 M, u32 N, u32 K,
                           u32 ld_scale) {
	const struct matrices m = { C, A, SA, B, SB, M, N, K, ld_scale };
	const struct position at = find_position();
	const struct tile own = find_tile(&m, &at, WAVE() % 2, WAVE() / 2);
	const u32 steps = (K - 1) / STEP + 1;
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	struct operands x;
	u32 stage = 0, copied = 2;

	init_barriers();
	fill_stage(own, 0, 0);
	if (steps > 1)
		fill_stage(own, 1, 1);
	for (u32 s = 0; s < steps; s++) {
		if (s + 2 < steps)
			fill_stage(own, s + 2, copied);
		await_arrivals(&full[stage], (s / BUFFERS + 1) & 1);
		read_operands(&lds.stages[stage], &at, 0, &x);
		arrive(&empty[stage]);
		multiply(&x, acc);
		stage = next_stage(stage);
		copied = next_stage(copied);
	}
	store_product(&m, &at, acc);
}
