/* MXFP8 GEMM for gfx1250 with three stages in LDS: gfx1250_tile.h has its contract. Each wave
 * copies one of the four tiles of a step: codes of A, codes of B, scales of A, scales of B. Copies
 * are issued two steps ahead, and the workgroup meets at its barrier while it multiplies.
 *
 *   step s:  copy s + 2 -> read s -> wait for the own copy of s + 1 and the reads -> signal
 *            -> WMMA -> wait for the signals of all
 *
 * After that all tiles of s + 1 are in LDS, and all waves have read s, whose place the copies of
 * s + 3 take. */
#include "../gfx1250.h"

enum { FORMAT_A = E4M3, FORMAT_B = E4M3, STEP = 128, BUFFERS = 3, WAVES_N = 2 };

#include "gfx1250_tile.h"

/* Of the wave's two copies in flight the older one is complete. */
#ifndef WAIT_COPY
#define WAIT_COPY() WAIT_TENSORCNT(1)
#endif

KERNEL(128)
void gfx1250_mxfp8_triple_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA,
                              const GLOBAL u8 *B, const GLOBAL u8 *SB, u32 M, u32 N, u32 K,
                              u32 ld_scale) {
	const struct matrices m = { C, A, SA, B, SB, M, N, K, ld_scale };
	const struct position at = find_position();
	const struct tile own = find_tile(&m, &at, WAVE() % 2, WAVE() / 2);
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	struct operands x;
	u32 s = 0, stage = 0, copied = 2;

	copy_step(own, 0, 0);
	copy_step(own, 1, 1);
	WAIT_COPY();
	LDS_BARRIER();
	do {
		copy_step(own, s + 2, copied);
		read_operands(&lds.stages[stage], &at, 0, &x);
		WAIT_COPY();
		SIGNAL_AFTER_LDS();
		multiply(&x, acc);
		AWAIT_SIGNALS();
		stage = next_stage(stage);
		copied = next_stage(copied);
	} while (++s * STEP < K);
	WAIT_TENSORCNT(0);
	store_product(&m, &at, acc);
}
