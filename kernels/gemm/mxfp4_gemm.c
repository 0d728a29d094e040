/* MXFP4 GEMM for gfx950: C[M][N] = A[M][K] * B[N][K]^T, E8M0 scales on 32-blocks of K.
 *
 * A and B are row-major E2M1 (K/2 bytes a row). Scales are row-major with ld_scale bytes a row (a
 * multiple of 8; bytes past K/32 are ignored). C is row-major f32 or bf16 (nearest even). Any M and
 * N; K a multiple of 32. Matrices may exceed 4 GiB; a panel of 128 rows must be below 2 GiB.
 *
 * A workgroup of 4 waves computes a 128x128 tile, each wave 64x64 of it, in K steps of 256. A and B
 * pass through two LDS buffers by buffer_load ... lds. The next step's loads are in flight while
 * this step's data are consumed. Scales are loaded to registers, 8 bytes of a row at a time.
 *
 *   step s:  load s+1 -> wait for s (s+1 stays in flight) -> barrier -> read LDS, MFMA -> barrier
 */
enum { TILE = 128, WAVES = 4 };
#include "mxfp4_tile.h"

enum {
	LOADS = 2 * FRAGS + 2 * DMAS(TILE), /* vector memory operations of a step, per wave */
};

/* The wait for a step's loads: all but those of the next step. */
#ifndef WAIT_LOADS
#define WAIT_LOADS() WAIT_VMCNT(LOADS)
#endif

/* The end of a step's LDS reads, before any wave loads over the data. */
#ifndef END_READS
#define END_READS(f, g) (wait_fragments(f, g), BARRIER())
#endif

/* The byte of C at which a tile begins, and the bytes of its rows in the descriptor. */
#ifndef OUTPUT_AT
#define OUTPUT_AT(row, ld) ((u64)(row) * (ld))
#endif
#ifndef OUTPUT_BYTES
#define OUTPUT_BYTES(row, rows, ld) ((rows) * (ld))
#endif

SHARED u8 panel_a[2][PANEL_BYTES];
SHARED u8 panel_b[2][PANEL_BYTES];

struct step_scales {
	u32x2 a[FRAGS], b[FRAGS];
};

/* Issues the LOADS of step s, scales first. Past the last step it loads zeros and ignored scales,
 * so that each step waits for the same count. */
INLINE void load_step(const struct product *p, u32 s, struct step_scales *scales) {
	load_scales(&p->a, p->wave_row, s * STEP_BLOCKS, scales->a);
	load_scales(&p->b, p->wave_col, s * STEP_BLOCKS, scales->b);
	__builtin_amdgcn_sched_barrier(0);
	load_rows(&p->a, panel_a[s & 1], 0, TILE, s * ROW_BYTES);
	load_rows(&p->b, panel_b[s & 1], 0, TILE, s * ROW_BYTES);
}

INLINE void do_step(const struct product *p, u32 s, const struct step_scales *scales,
                    struct step_scales *next, f32x4 acc[FRAGS][FRAGS]) {
	u32x4 fa[2][FRAGS], fb[2][FRAGS];
	u32 sa[FRAGS], sb[FRAGS];

	load_step(p, s + 1, next);
	WAIT_LOADS();
	BARRIER();
	read_fragments(panel_a[s & 1], p->wave_row, fa);
	read_fragments(panel_b[s & 1], p->wave_col, fb);
	for (u32 i = 0; i < FRAGS; i++) {
		sa[i] = scale_word(scales->a[i], p->blocks - s * STEP_BLOCKS);
		sb[i] = scale_word(scales->b[i], p->blocks - s * STEP_BLOCKS);
	}
	END_READS(fa, fb);
	multiply(fa, fb, sa, sb, acc);
}

INLINE void gemm(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                 const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale, u32 size) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	struct product p = {
		make_panel(A, SA, row, M, K, ld_scale),
		make_panel(B, SB, col, N, K, ld_scale),
		WAVE() / 2 * 64,
		WAVE() % 2 * 64,
		K / 32,
	};
	u32 steps = (K + STEP - 1) / STEP;
	f32x4 acc[FRAGS][FRAGS] = {};
	struct step_scales even, odd;

	load_step(&p, 0, &even);
	for (u32 s = 0; s < steps; s += 2) {
		do_step(&p, s, &even, &odd, acc);
		if (s + 1 == steps)
			break;
		do_step(&p, s + 1, &odd, &even, acc);
	}
	WAIT_VMCNT(0); /* no load may land in LDS after the workgroup has released it */
	u32 rows = ROWS_STORED(M - row), ld = N * size;
	buffer c = make_buffer(C + OUTPUT_AT(row, ld), OUTPUT_BYTES(row, rows, ld));
	store_tile(c, p.wave_row, col + p.wave_col, N, size, acc);
}

KERNEL(256)
void mxfp4_gemm_f32(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                    const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(C, A, SA, B, SB, M, N, K, ld_scale, 4);
}

KERNEL(256)
void mxfp4_gemm_bf16(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                     const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(C, A, SA, B, SB, M, N, K, ld_scale, 2);
}
