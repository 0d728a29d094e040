/* MXFP8 GEMM for gfx1250 whose scales go through registers: gfx1250_tile.h has its contract, but
 * here the rows of scales are a multiple of 4 bytes, and 128 of them below 2 GiB.
 *
 * Waves 0 and 1 own what comes of A, waves 2 and 3 what comes of B: one of the two copies codes,
 * and both load scales, by buffers, and write them to LDS. Loads of the next step are in flight
 * while this step is multiplied.
 *
 *   step s:  copy codes of s + 1, load scales of s + 1 -> read s, WMMA -> write scales of s + 1
 *            -> wait for the own copy of s + 1 and the writes -> barrier
 *
 * After the barrier all of s + 1 is in LDS, and all waves have read s. */
#include "../gfx1250.h"

enum { FORMAT_A = E4M3, FORMAT_B = E4M3, STEP = 128, BUFFERS = 2, WAVES_N = 2 };

#include "gfx1250_tile.h"

/* The wave's copy of the next step is complete. */
#ifndef WAIT_COPY
#define WAIT_COPY() WAIT_TENSORCNT(0)
#endif

/* What the wave has written to LDS is there for all that meet. */
#ifndef MEET
#define MEET() LDS_BARRIER()
#endif

enum { LOADS = 2 }; /* rows of a lane */

/* The wave's operand: its tile of codes, and its rows of scales, clipped to the matrix. */
struct source {
	bool copies, of_b;
	struct tile codes;
	buffer scales;
	u32 row, ld_scale, blocks; /* row: the lane's first of the operand's 128 */
};

INLINE struct source find_source(const struct matrices *m, const struct position *at) {
	bool of_b = WAVE() / 2;
	u32 first = of_b ? at->col : at->row, rows = rest(of_b ? m->N : m->M, first);
	const GLOBAL u8 *scales = (of_b ? m->scales_b : m->scales_a) + (u64)first * m->ld_scale;
	return (struct source){
		.copies = WAVE() % 2 == 0,
		.of_b = of_b,
		.codes = find_tile(m, at, of_b, false),
		.scales = make_buffer(scales, (rows < TILE ? rows : TILE) * m->ld_scale),
		.row = WAVE() % 2 * 32 + LANE(),
		.ld_scale = m->ld_scale,
		.blocks = m->K / BLOCK,
	};
}

INLINE void copy_codes(const struct source *from, u32 s, u32 stage) {
	if (from->copies)
		copy_step(from->codes, s, stage);
}

INLINE void load_scales(const struct source *from, u32 s, u32 to[LOADS]) {
#pragma unroll
	for (u32 i = 0; i < LOADS; i++) {
		u32 row = from->row + i * TILE / LOADS;
		to[i] = __builtin_amdgcn_raw_buffer_load_b32(
			from->scales, row * from->ld_scale + s * STEP_BLOCKS, 0, 0);
	}
}

/* Scales past K become 0x00, which is 2^-127 and harmless with zeros; an arbitrary 0xFF would give
 * NaN. */
INLINE void write_scales(const struct source *from, u32 s, u32 stage, const u32 words[LOADS]) {
	LDS u32 *to = (LDS u32 *)lds.stages[stage].scales[from->of_b] + from->row;
	u32 left = rest(from->blocks, s * STEP_BLOCKS);
	u32 kept = left < STEP_BLOCKS ? (1u << 8 * left) - 1 : ~0u;
#pragma unroll
	for (u32 i = 0; i < LOADS; i++)
		to[i * TILE / LOADS] = words[i] & kept;
}

KERNEL(128)
void gfx1250_mxfp8_staged_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA,
                              const GLOBAL u8 *B, const GLOBAL u8 *SB, u32 M, u32 N, u32 K,
                              u32 ld_scale) {
	const struct matrices m = { C, A, SA, B, SB, M, N, K, ld_scale };
	const struct position at = find_position();
	const struct source from = find_source(&m, &at);
	f32x8 acc[FRAGS_M][FRAGS_N] = {};
	u32 scales[LOADS], s = 0, stage = 0;

	copy_codes(&from, 0, 0);
	load_scales(&from, 0, scales);
	write_scales(&from, 0, 0, scales);
	WAIT_COPY();
	MEET();
	do {
		copy_codes(&from, s + 1, next_stage(stage));
		load_scales(&from, s + 1, scales);
		__builtin_amdgcn_sched_barrier(0); /* it would load after the products */
		multiply_stage(&lds.stages[stage], &at, acc);
		stage = next_stage(stage);
		write_scales(&from, s + 1, stage, scales);
		WAIT_COPY();
		MEET();
	} while (++s * STEP < K);
	store_product(&m, &at, acc);
}
