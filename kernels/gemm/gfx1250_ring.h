/* The loop of a GEMM for gfx1250 with three stages in LDS, in a ring. For device code only; a
 * kernel defines before what gfx1250_tile.h needs. Each wave copies one of the four tiles of a
 * step: codes of A, codes of B, scales of A, scales of B. The copies of the next two steps go on
 * while this step is multiplied.
 *
 *   step s:  wait for the own copy of s -> barrier -> copy s + 2 -> read s, WMMA
 *
 * After the barrier all tiles of s are in LDS, and all waves have read s - 1, whose place the
 * copies of s + 2 take. */
#ifndef GFX1250_RING_H
#define GFX1250_RING_H

enum { BUFFERS = 3, WAVES_N = 2 };

#include "gfx1250_tile.h"

/* The workgroups of a cluster that copy the same tile of A, or of B, together. */
#ifndef CLUSTER_MASK
#define CLUSTER_MASK(of_b) 0
#endif

/* All tiles of the step are in LDS, for all waves. */
#ifndef BEGIN_STEP
#define BEGIN_STEP() LDS_BARRIER()
#endif

/* No copy is in flight, so that the product may take the place of the steps. */
#ifndef END_COPIES
#define END_COPIES() WAIT_TENSORCNT(0)
#endif

INLINE void gemm(const struct matrices *m) {
	const struct position at = find_position();
	bool of_b = WAVE() % 2, of_scales = WAVE() / 2;
	struct tile own = find_tile(m, &at, of_b, of_scales);
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	u32 s = 0, stage = 0, copied = 2;

	own.flags |= CLUSTER_MASK(of_b);
	copy_step(own, 0, 0);
	copy_step(own, 1, 1);
	do {
		WAIT_TENSORCNT(1);
		BEGIN_STEP();
		copy_step(own, s + 2, copied);
		multiply_stage(&lds.stages[stage], &at, acc);
		stage = next_stage(stage);
		copied = next_stage(copied);
	} while (++s * STEP < m->K);
	END_COPIES();
	store_product(m, &at, acc);
}

#endif
