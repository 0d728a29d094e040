/* MXFP4 GEMM for gfx950 by two alternating groups of waves: one multiplies while the other reads.
 *
 * Arguments, shapes and limits are those of mxfp4_gemm.c, except that a panel has 256 rows. A
 * workgroup of 8 waves computes a 256x256 tile. Waves i and i + 4 share a SIMD and belong to
 * different groups. A wave computes 128x64: in each half of the tile, 128 rows, the 64 rows of its
 * group.
 *
 * A step of K is four clusters, each ended by a barrier. Group 1 starts one barrier late. So
 * between two barriers one group has a memory cluster and the other a matrix cluster:
 *
 *   group 0  | read A0, B; load A1 | A0 B | read A1; load A0, B | A1 B | read A0, B ...
 *   group 1  | ...            A1 B | read A0, B; load A1 | A0 B | read A1; load A0, B | ...
 *
 * A0 and A1 are the halves of A. LDS holds two steps. Step s loads A1 of step s + 1, then A0 and B
 * of step s + 2, over data that both groups have read one cluster before. A memory cluster ends
 * with the waits for the other group's next memory cluster: for its own reads, before others load
 * over the data, and for its share of B (a group itself loads the rows of A that it reads). A
 * step's loads stay in flight across the barriers. */
enum { TILE = 256, WAVES = 8 };
#include "mxfp4_tile.h"

/* A wave's vector memory operations in a step: halves of A, the whole of B, scales. */
enum {
	HALF = TILE / 2,
	LOADS_A = DMAS(HALF),
	LOADS_B = DMAS(TILE),
	LOADS_SCALES = 3 * FRAGS,
};

/* The end of a memory cluster: `left` operations stay in flight, and all LDS reads are complete. */
#ifndef END_MEMORY
#define END_MEMORY(left, f, g) (WAIT_VMCNT(left), wait_fragments(f, g), BARRIER())
#endif

/* The end of a matrix cluster. */
#ifndef END_MATRIX
#define END_MATRIX() BARRIER()
#endif

SHARED u8 panel_a[2][PANEL_BYTES];
SHARED u8 panel_b[2][PANEL_BYTES];

struct step_scales {
	u32x2 a[2][FRAGS], b[FRAGS];
};

struct scale_words {
	u32 a[2][FRAGS], b[FRAGS];
};

typedef u32x4 fragments[2][FRAGS];
typedef f32x4 accumulators[2][FRAGS][FRAGS];

/* Past the last step it loads zeros and ignored scales, so that each step has the same
 * operations. */
INLINE void load_a(const struct product *p, u32 s, u32 half) {
	load_rows(&p->a, panel_a[s & 1], half * HALF, HALF, s * ROW_BYTES);
}

INLINE void load_a0_b(const struct product *p, u32 s) {
	load_a(p, s, 0);
	load_rows(&p->b, panel_b[s & 1], 0, TILE, s * ROW_BYTES);
}

INLINE void load_step_scales(const struct product *p, u32 s, struct step_scales *scales) {
	load_scales(&p->a, p->wave_row, s * STEP_BLOCKS, scales->a[0]);
	load_scales(&p->a, p->wave_row + HALF, s * STEP_BLOCKS, scales->a[1]);
	load_scales(&p->b, p->wave_col, s * STEP_BLOCKS, scales->b);
	__builtin_amdgcn_sched_barrier(0);
}

INLINE void choose_scales(const struct step_scales *scales, u32 blocks_left,
                          struct scale_words *w) {
	for (u32 i = 0; i < FRAGS; i++) {
		w->a[0][i] = scale_word(scales->a[0][i], blocks_left);
		w->a[1][i] = scale_word(scales->a[1][i], blocks_left);
		w->b[i] = scale_word(scales->b[i], blocks_left);
	}
}

/* With priority, because the other group on the SIMD only has to issue. */
INLINE void matrix_cluster(fragments fa, fragments fb, const struct scale_words *w, u32 half,
                           accumulators acc) {
	__builtin_amdgcn_sched_barrier(0);
	__builtin_amdgcn_s_setprio(1);
	multiply(fa, fb, w->a[half], w->b, acc[half]);
	__builtin_amdgcn_s_setprio(0);
	__builtin_amdgcn_sched_barrier(0);
	END_MATRIX();
}

/* At its start and end, A1 and the scales of its step and A0 and B of the next step are in
 * flight. */
INLINE void do_step(const struct product *p, u32 s, struct step_scales *scales, accumulators acc) {
	fragments fa, fb;
	struct scale_words words;

	read_fragments(panel_a[s & 1], p->wave_row, fa);
	read_fragments(panel_b[s & 1], p->wave_col, fb);
	load_a(p, s + 1, 1);
	END_MEMORY(LOADS_A + LOADS_B + LOADS_A, fa, fb);
	choose_scales(scales, p->blocks - s * STEP_BLOCKS, &words);
	matrix_cluster(fa, fb, &words, 0, acc);

	read_fragments(panel_a[s & 1] + HALF * ROW_BYTES, p->wave_row, fa);
	load_step_scales(p, s + 1, scales);
	load_a0_b(p, s + 2);
	END_MEMORY(LOADS_A + LOADS_SCALES + LOADS_A + LOADS_B, fa, fb);
	matrix_cluster(fa, fb, &words, 1, acc);
}

INLINE void multiply_tile(const struct product *p, u32 group, accumulators acc) {
	u32 steps = (p->blocks + STEP_BLOCKS - 1) / STEP_BLOCKS;
	struct step_scales scales;

	load_a0_b(p, 0);
	load_a(p, 0, 1);
	load_step_scales(p, 0, &scales);
	load_a0_b(p, 1);
	WAIT_VMCNT(LOADS_A + LOADS_SCALES + LOADS_A + LOADS_B);
	BARRIER();
	if (group == 1)
		BARRIER();
	for (u32 s = 0; s < steps; s++)
		do_step(p, s, &scales, acc);
	if (group == 0)
		BARRIER();
	WAIT_VMCNT(0); /* no load may land in LDS after the workgroup has released it */
}

INLINE void gemm(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                 const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	u32 group = WAVE() / 4;
	struct product p = {
		make_panel(A, SA, row, M, K, ld_scale),
		make_panel(B, SB, col, N, K, ld_scale),
		group * 64,
		WAVE() % 4 * 64,
		K / 32,
	};
	accumulators acc = {};

	multiply_tile(&p, group, acc);
	u32 rows = ROWS_STORED(M - row);
	buffer c = make_buffer(C + (u64)row * N * size, rows * N * size);
	store_tile(c, p.wave_row, col + p.wave_col, N, size, acc[0]);
	store_tile(c, HALF + p.wave_row, col + p.wave_col, N, size, acc[1]);
}

KERNEL(512)
void mxfp4_pingpong_f32(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                        const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(C, A, SA, B, SB, M, N, K, ld_scale, 4);
}

KERNEL(512)
void mxfp4_pingpong_bf16(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                         const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(C, A, SA, B, SB, M, N, K, ld_scale, 2);
}
