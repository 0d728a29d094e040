/* MXFP4 GEMM for gfx950 on tiles that encode.c makes, f32 out in tiles that decode.c reads. TILE_M,
 * TILE_N, TILE_K, WAVES_M, WAVES_N and GROUPED must be defined before.
 *
 * All of A, B and their scales are in the order in which lanes use them, with zeros past M, N and
 * K, so nothing is masked and nothing is permuted: a tile goes to LDS as it is, each lane reads its
 * own 16 bytes of a fragment, its scales are bytes of registers that the MFMA selects, and its
 * accumulators are 16 bytes of the output.
 *
 * A workgroup computes one tile. LDS holds three steps of TILE_K: while one is multiplied, the next
 * one is complete or in flight, and the one after it is loaded over the step before. So a step has
 * one barrier, after each wave's wait for its own loads of the step. Scales go to registers one
 * step ahead. Past the last step descriptors of no bytes give zeros that nothing reads, so that
 * each step has the same operations.
 *
 * M, N and K are given as tiles. A panel, TILE_N / 2 bytes for each k, is below 4 GiB. */
#ifndef TILED_GEMM_H
#define TILED_GEMM_H

#include "../gfx950.h"

enum {
	WAVES = WAVES_M * WAVES_N,
	FRAGMENT = 16,
	FRAGMENT_BYTES = 1024,
	FRAGS_M = TILE_M / WAVES_M / FRAGMENT, /* fragments of a wave */
	FRAGS_N = TILE_N / WAVES_N / FRAGMENT,
	STEPS = TILE_K / 128, /* MFMAs along a tile */
	BYTES_A = TILE_M * TILE_K / 2,
	BYTES_B = TILE_N * TILE_K / 2,
	SCALES_A = TILE_M * TILE_K / 32,
	SCALES_B = TILE_N * TILE_K / 32,
	BYTES_C = TILE_M * TILE_N * 4,
	STAGE = BYTES_A + BYTES_B,
	STAGES = 3,
	DMA_BYTES = 1024, /* of a buffer_load_dwordx4 lds */
	SHARE_A = BYTES_A / WAVES,
	SHARE_B = BYTES_B / WAVES,
	DMAS = STAGE / WAVES / DMA_BYTES,
	SCALE_LOADS = GROUPED ? 2 : FRAGS_M + FRAGS_N,
	READS = FRAGS_M + FRAGS_N, /* of LDS, for one MFMA along the tile */
};

/* The end of a wave's loads of a step to LDS. Its scales and the loads of the next step stay in
 * flight; for the scales the compiler waits. */
#ifndef WAIT_STEP
#define WAIT_STEP() WAIT_VMCNT(SCALE_LOADS + DMAS)
#endif

/* The row of waves whose scales of A a wave uses. */
#ifndef SCALES_OF
#define SCALES_OF(wave_row) (wave_row)
#endif

/* The byte of a lane's scales that belongs to a fragment and a step. */
#ifndef SCALE_BYTE
#define SCALE_BYTE(fragment, step) (((fragment)*STEPS + (step)) % 4)
#endif

SHARED u8 stages[STAGES * STAGE];

/* The panel of an operand, and the wave's places in a tile of it: its share of the loads, the
 * fragments and the scales that it multiplies. */
struct operand {
	const GLOBAL u8 *codes, *scales;
	u32 code_bytes, scale_bytes; /* of all tiles along K */
	u32 share, lane_share, lane_fragments, wave_scales;
	u32 code_flags, scale_flags; /* the last dwords of the descriptors */
};

/* A descriptor's last dword. A constant of its own: the compiler would keep one for all
 * descriptors, and copy it to each of them in each step. */
INLINE u32 own_flags(void) {
	u32 flags;
	asm volatile("s_mov_b32 %0, 0x20000" : "=s"(flags));
	return flags;
}

/* The panel's codes or scales, or nothing. The number of bytes is opaque: the compiler would copy
 * the other dwords instead of replacing it. */
INLINE buffer panel_if(u32 any, const GLOBAL u8 *panel, u32 bytes, u32 flags) {
	u32 records = any ? bytes : 0;
	asm("" : "+s"(records));
	return __builtin_amdgcn_make_buffer_rsrc((void *)panel, 0, records, flags);
}

INLINE buffer codes_if(u32 any, const struct operand *o) {
	return panel_if(any, o->codes, o->code_bytes, o->code_flags);
}

INLINE buffer scales_if(u32 any, const struct operand *o) {
	return panel_if(any, o->scales, o->scale_bytes, o->scale_flags);
}

/* Scales of a wave: dwords, a byte for each fragment and MFMA along the tile. */
struct scales {
	u32 a[FRAGS_M * STEPS / 4], b[FRAGS_N * STEPS / 4];
};

typedef f32x4 accumulators[FRAGS_M][FRAGS_N];

/* Scales of `fragments` fragments of a wave. Grouped, a lane has them side by side; else those of
 * each fragment are 256 bytes apart. */
INLINE void load_scales(buffer b, u32 at, u32 fragments, u32 *scales) {
	if (!GROUPED)
		for (u32 i = 0; i < fragments; i++)
			scales[i] = __builtin_amdgcn_raw_buffer_load_b32(b, LANE() * 4 + i * 256,
			                                                 at, 0);
	else if (fragments == 4) {
		u32x2 x = __builtin_amdgcn_raw_buffer_load_b64(b, LANE() * 8, at, 0);
		scales[0] = x.x, scales[1] = x.y;
	} else {
		u32x4 x = __builtin_amdgcn_raw_buffer_load_b128(b, LANE() * 16, at, 0);
		scales[0] = x.x, scales[1] = x.y, scales[2] = x.z, scales[3] = x.w;
	}
}

INLINE void load_step_scales(const struct operand *a, const struct operand *b, u32 step, u32 steps,
                             struct scales *s) {
	u32 any = step < steps;
	load_scales(scales_if(any, a), a->wave_scales + step * SCALES_A, FRAGS_M, s->a);
	load_scales(scales_if(any, b), b->wave_scales + step * SCALES_B, FRAGS_N, s->b);
}

/* The wave's share of a tile to LDS: 2 KiB, or a multiple of 4 KiB. The instruction offset counts
 * in both addresses. */
#define DMA(i)                                                                                     \
	__builtin_amdgcn_raw_ptr_buffer_load_lds(b, (LDS void *)(to + from), 16, lane, at + from,  \
	                                         (i)*DMA_BYTES, 0)
INLINE void load_share(buffer b, LDS u8 *to, u32 lane, u32 at, u32 share) {
#pragma unroll
	for (u32 from = 0; from < share; from += 4 * DMA_BYTES) {
		DMA(0);
		DMA(1);
		if (share == 2 * DMA_BYTES)
			break;
		DMA(2);
		DMA(3);
	}
}

/* The codes of a step, of all waves together. */
INLINE void load_step(const struct operand *a, const struct operand *b, u32 step, u32 steps,
                      LDS u8 *stage) {
	u32 any = step < steps;
	load_share(codes_if(any, a), stage + a->share, a->lane_share, step * BYTES_A, SHARE_A);
	load_share(codes_if(any, b), stage + BYTES_A + b->share, b->lane_share, step * BYTES_B,
	           SHARE_B);
}

/* The wave's fragments of a step: for each MFMA along the tile those of A, then those of B. */
typedef u32x4 fragments[STEPS][READS];

#define FRAGMENT_AT(i, k) (((i)*STEPS + (k)) * FRAGMENT_BYTES)

INLINE void read_fragments(const LDS u8 *stage, u32 lane_a, u32 lane_b, fragments f) {
	u32 a = (u32)stage + lane_a, b = (u32)stage + lane_b;
#pragma unroll
	for (u32 k = 0; k < STEPS; k++) {
#pragma unroll
		for (u32 i = 0; i < FRAGS_M; i++)
			LDS_READ_B128(f[k][i], a, FRAGMENT_AT(i, k));
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++)
			LDS_READ_B128(f[k][FRAGS_M + j], b, BYTES_A + FRAGMENT_AT(j, k));
	}
}

/* Waits for half of the fragments, those of MFMAs [k, k + STEPS / 2) along the tile. It names them:
 * without these def-use edges the compiler may move an MFMA above the wait. */
INLINE void wait_half(u32 k, fragments f) {
	if (k)
		WAIT_LGKMCNT(0);
	else
		WAIT_LGKMCNT(STEPS / 2 * READS);
#pragma unroll
	for (u32 i = 0; i < STEPS / 2 * READS; i++)
		asm volatile("" : "+v"(f[k + i / READS][i % READS]));
}

INLINE i32x8 fp4_operand(u32x4 f) {
	return (i32x8){ f.x, f.y, f.z, f.w, 0, 0, 0, 0 };
}

/* The bytes of the scales are immediates, for which C wants constants. */
#define MFMA(n)                                                                                    \
	case n:                                                                                    \
		return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(                           \
			fp4_operand(a), fp4_operand(b), c, 4, 4, (n) / 4, sa, (n) % 4, sb);
INLINE f32x4 mfma(u32x4 a, u32x4 b, f32x4 c, u32 byte_a, u32 sa, u32 byte_b, u32 sb) {
	switch (byte_a * 4 + byte_b) {
		MFMA(0)
		MFMA(1)
		MFMA(2)
		MFMA(3)
		MFMA(4)
		MFMA(5)
		MFMA(6)
		MFMA(7)
		MFMA(8)
		MFMA(9)
		MFMA(10)
		MFMA(11)
		MFMA(12)
		MFMA(13)
		MFMA(14)
		MFMA(15)
	}
	return c;
}

INLINE void multiply(fragments f, const struct scales *s, accumulators acc) {
#pragma unroll
	for (u32 k = 0; k < STEPS; k++) {
		if (k % (STEPS / 2) == 0)
			wait_half(k, f);
#pragma unroll
		for (u32 i = 0; i < FRAGS_M; i++)
#pragma unroll
			for (u32 j = 0; j < FRAGS_N; j++)
				acc[i][j] = mfma(f[k][i], f[k][FRAGS_M + j], acc[i][j],
				                 SCALE_BYTE(i, k), s->a[(i * STEPS + k) / 4],
				                 SCALE_BYTE(j, k), s->b[(j * STEPS + k) / 4]);
		__builtin_amdgcn_sched_barrier(0);
	}
}

/* One step, whose codes are in stage `stage`. The next step's scales go to next, the codes of the
 * step after it to the stage that the step before has read. */
INLINE void do_step(const struct operand *a, const struct operand *b, u32 step, u32 steps,
                    u32 stage, struct scales s[STAGES], accumulators acc) {
	fragments f;
	WAIT_STEP();
	BARRIER();
	read_fragments(stages + stage * STAGE, a->lane_fragments, b->lane_fragments, f);
	load_step_scales(a, b, step + 1, steps, &s[(stage + 1) % STAGES]);
	__builtin_amdgcn_sched_barrier(0);
	load_step(a, b, step + 2, steps, stages + (stage + 2) % STAGES * STAGE);
	multiply(f, &s[stage], acc);
}

/* As many steps a round as there are stages, so that stages are constants and scales are never
 * copied. */
INLINE void multiply_tile(const struct operand *a, const struct operand *b, u32 steps,
                          accumulators acc) {
	struct scales s[STAGES];
	u32 step;

	load_step(a, b, 0, steps, stages);
	load_step_scales(a, b, 0, steps, &s[0]);
	__builtin_amdgcn_sched_barrier(0);
	load_step(a, b, 1, steps, stages + STAGE);
	for (step = 0; step + 2 < steps; step += STAGES) {
		do_step(a, b, step, steps, 0, s, acc);
		do_step(a, b, step + 1, steps, 1, s, acc);
		do_step(a, b, step + 2, steps, 2, s, acc);
	}
	if (step < steps)
		do_step(a, b, step, steps, 0, s, acc);
	if (step + 1 < steps)
		do_step(a, b, step + 1, steps, 1, s, acc);
	WAIT_VMCNT(0); /* no load may land in LDS after the workgroup has released it */
}

/* A fragment is 16 bytes of each lane. */
INLINE void store_accumulators(buffer c, accumulators acc) {
#pragma unroll
	for (u32 i = 0; i < FRAGS_M; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS_N; j++) {
			u32 at = i * FRAGS_N + j;
			__builtin_amdgcn_raw_buffer_store_b128(
				__builtin_bit_cast(u32x4, acc[i][j]), c,
				LANE() * 16 + at % 4 * FRAGMENT_BYTES,
				WAVE() * (BYTES_C / WAVES) + at / 4 * 4 * FRAGMENT_BYTES, 0);
		}
}

/* panel: tiles before this one across K. part, parts: the wave's place in the tile. */
INLINE struct operand make_operand(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u64 panel,
                                   u32 steps, u32 bytes, u32 scale_bytes, u32 part, u32 scale_part,
                                   u32 parts) {
	struct operand o = {
		.codes = codes + panel * steps * bytes,
		.scales = scales + panel * steps * scale_bytes,
		.code_bytes = steps * bytes,
		.scale_bytes = steps * scale_bytes,
		.share = WAVE() * (bytes / WAVES),
		.lane_share = WAVE() * (bytes / WAVES) + LANE() * 16,
		.lane_fragments = part * (bytes / parts) + LANE() * 16,
		.wave_scales = scale_part * (scale_bytes / parts),
		.code_flags = own_flags(),
		.scale_flags = own_flags(),
	};
	KEEP_V(o.lane_share);
	KEEP_V(o.lane_fragments);
	return o;
}

/* steps: tiles along K, at least one. The grid is the tiles of N and of M. */
KERNEL(64 * WAVES)
void GEMM(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
          const GLOBAL u8 *SB, u32 tiles_n, u32 steps) {
	u32 row = __builtin_amdgcn_workgroup_id_y(), column = __builtin_amdgcn_workgroup_id_x();
	u32 wave_row = WAVE() / WAVES_N, wave_column = WAVE() % WAVES_N;
	struct operand a = make_operand(A, SA, row, steps, BYTES_A, SCALES_A, wave_row,
	                                SCALES_OF(wave_row), WAVES_M);
	struct operand b = make_operand(B, SB, column, steps, BYTES_B, SCALES_B, wave_column,
	                                wave_column, WAVES_N);
	accumulators acc = {};

	multiply_tile(&a, &b, steps, acc);
	store_accumulators(make_buffer(C + ((u64)row * tiles_n + column) * BYTES_C, BYTES_C), acc);
}

#endif
