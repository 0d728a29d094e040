/* MXFP8 GEMM for gfx950: C[M][N] = A[M][K] * B[N][K]^T in f32, E4M3, E8M0 scales on 32-blocks of K.
 *
 * A and B are row-major (K bytes a row), the scales row-major with ld_scale bytes a row (a multiple
 * of 4; bytes past K/32 are ignored). Any M and N; K a multiple of 32. Matrices may exceed 4 GiB; a
 * panel of 64 rows must be below 2 GiB.
 *
 * A workgroup of 4 waves computes a 64x64 tile, each wave 32x32 of it, in K steps of 256. Codes and
 * scales pass through registers to LDS. Loads of the next step to registers are in flight while
 * this step is multiplied. In LDS, codes have one buffer and scales have two. So before a wave
 * writes the next step, only the reads of codes must be complete; reads of scales may be in flight
 * after that barrier.
 *
 *   step s:  write s to LDS, load s+1 -> barrier -> read codes, then scales
 *            -> wait for the codes -> barrier -> wait for the scales, MFMA
 *
 * LDS holds a row's 256 elements as 16 chunks of 16 bytes. Chunk c of row r is in slot c ^ (r &
 * 15), so that the 16 lanes that read one chunk of 16 rows spread over all banks. */
#include "../gfx950.h"

enum {
	TILE = 64,
	STEP = 256,
	WAVES = 4,
	CHUNK = 16,
	CHUNKS = STEP / CHUNK,
	STEP_BLOCKS = STEP / 32, /* bytes of scales of a row in a step */
	ROWS = 64 / CHUNKS,      /* rows of one load of a wave */
	LOADS = TILE / ROWS / WAVES,
	FRAGS = 2, /* 16-row fragments of a wave's 32 rows */
	PARTS = 4, /* a lane's chunks of a fragment's row: two for each of two MFMAs */
};

#include "../fragments.h"

/* A lane's read of the 8 scales of a row, and its number of LDS instructions. */
#ifndef READ_SCALES
#define READ_SCALES(value, address) LDS_READ_B64(value, address, 0)
#define READS_OF_SCALES             1
#endif

SHARED u8 codes_a[TILE * STEP], codes_b[TILE * STEP];
SHARED u8 scales_a[2][TILE * STEP_BLOCKS], scales_b[2][TILE * STEP_BLOCKS];

/* One operand's panel: 64 rows of codes and scales, clipped to the matrix. */
struct panel {
	buffer codes, scales;
	u32 ld_scales;
};

INLINE struct panel make_panel(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u32 row, u32 rows,
                               u32 K, u32 ld_scales) {
	u32 n = rows - row < TILE ? rows - row : TILE;
	return (struct panel){
		make_buffer(codes + (u64)row * K, n * K),
		make_buffer(scales + (u64)row * ld_scales, n * ld_scales),
		ld_scales,
	};
}

/* ---- from memory through registers to LDS ---- */

/* A lane's data of a step: 16 bytes of a row of each operand, LOADS times, and 4 scales of one of
 * the 128 rows. */
struct staged {
	u32x4 a[LOADS], b[LOADS];
	u32 scales;
};

INLINE u32 staged_row(u32 i) {
	return (WAVE() * LOADS + i) * ROWS + LANE() / CHUNKS;
}

/* Rows past the matrix are past the buffer's end; chunks past K use an offset past it. Both are
 * zeros. */
INLINE void load_codes(const struct panel *p, u32 K, u32 s, u32x4 to[LOADS]) {
	u32 k = s * STEP + LANE() % CHUNKS * CHUNK, past = k < K ? 0 : OUT_OF_RANGE;
#pragma unroll
	for (u32 i = 0; i < LOADS; i++)
		to[i] = __builtin_amdgcn_raw_buffer_load_b128(p->codes,
		                                              past + staged_row(i) * K + k, 0, 0);
}

/* Two lanes load a row. Scales of blocks past K become 0x00, which is 2^-127 and harmless with
 * zeros; an arbitrary 0xFF would give NaN. */
INLINE u32 load_scales(const struct panel *p, u32 K, u32 s) {
	u32 row = WAVE() % 2 * 32 + LANE() / 2, block = s * STEP_BLOCKS + LANE() % 2 * 4;
	u32 offset = block < K / 32 ? row * p->ld_scales + block : OUT_OF_RANGE;
	u32 word = __builtin_amdgcn_raw_buffer_load_b32(p->scales, offset, 0, 0);
	u32 left = K / 32 - block;
	return left < 4 ? word & ((1u << 8 * left) - 1) : word;
}

INLINE void write_codes(LDS u8 *panel, const u32x4 from[LOADS]) {
#pragma unroll
	for (u32 i = 0; i < LOADS; i++) {
		u32 row = staged_row(i), slot = LANE() % CHUNKS ^ (row & 15);
		*(LDS u32x4 *)(panel + row * STEP + slot * CHUNK) = from[i];
	}
}

/* ---- a step ---- */

/* A wave's part of the product: its panels, its position in them, and K. */
struct product {
	struct panel a, b;
	u32 wave_row, wave_col, K;
};

INLINE void load_step(const struct product *p, u32 s, struct staged *to) {
	load_codes(&p->a, p->K, s, to->a);
	load_codes(&p->b, p->K, s, to->b);
	to->scales = load_scales(WAVE() < 2 ? &p->a : &p->b, p->K, s);
}

INLINE void write_step(const struct staged *from, u32 s) {
	LDS u8 *scales = WAVE() < 2 ? scales_a[s & 1] : scales_b[s & 1];
	write_codes(codes_a, from->a);
	write_codes(codes_b, from->b);
	*(LDS u32 *)(scales + (WAVE() % 2 * 64 + LANE()) * 4) = from->scales;
}

/* In each row of a fragment, lane (row r, part q) has chunks q, 4 + q, 8 + q and 12 + q. */
INLINE void read_codes(const LDS u8 *panel, u32 first_row, u32x4 f[FRAGS][PARTS]) {
	u32 r = first_row + LANE() % 16, q = LANE() / 16;
#pragma unroll
	for (u32 j = 0; j < PARTS; j++) {
		u32 address = (u32)panel + r * STEP + ((4 * j + q) ^ (r & 15)) * CHUNK;
		LDS_READ_B128(f[0][j], address, 0 * 16 * STEP);
		LDS_READ_B128(f[1][j], address, 1 * 16 * STEP);
	}
}

INLINE void read_scales(const LDS u8 *scales, u32 first_row, u32x2 to[FRAGS]) {
	u32 r = first_row + LANE() % 16;
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++) {
		const LDS u8 *row = scales + (r + 16 * i) * STEP_BLOCKS;
		READ_SCALES(to[i], row);
	}
}

/* Waits for all reads except those of scales, which are issued last. The named registers give the
 * compiler the def-use edges without which it may move an MFMA above the wait. */
INLINE void wait_codes(u32x4 f[FRAGS][PARTS], u32x4 g[FRAGS][PARTS]) {
	asm volatile("s_waitcnt lgkmcnt(%16)"
	             : "+v"(f[0][0]), "+v"(f[0][1]), "+v"(f[0][2]), "+v"(f[0][3]), "+v"(f[1][0]),
	               "+v"(f[1][1]), "+v"(f[1][2]), "+v"(f[1][3]), "+v"(g[0][0]), "+v"(g[0][1]),
	               "+v"(g[0][2]), "+v"(g[0][3]), "+v"(g[1][0]), "+v"(g[1][1]), "+v"(g[1][2]),
	               "+v"(g[1][3])
	             : "n"(2 * FRAGS * READS_OF_SCALES)
	             : "memory");
}

INLINE void wait_scales(u32x2 a[FRAGS], u32x2 b[FRAGS]) {
	asm volatile("s_waitcnt lgkmcnt(0)"
	             : "+v"(a[0]), "+v"(a[1]), "+v"(b[0]), "+v"(b[1])
	             :
	             : "memory");
}

/* The scale of the lane's block, lane / 16, in byte 0. */
INLINE u32 scale(u32 word) {
	return word >> LANE() / 16 * 8;
}

INLINE void multiply(u32x4 a[FRAGS][PARTS], u32x4 b[FRAGS][PARTS], const u32x2 sa[FRAGS],
                     const u32x2 sb[FRAGS], f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 kk = 0; kk < 2; kk++)
#pragma unroll
		for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
			for (u32 j = 0; j < FRAGS; j++)
				acc[i][j] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
					fp8_operand(a[i][2 * kk], a[i][2 * kk + 1]),
					fp8_operand(b[j][2 * kk], b[j][2 * kk + 1]), acc[i][j], 0,
					0, 0, scale(sa[i][kk]), 0, scale(sb[j][kk]));
}

INLINE void do_step(const struct product *p, u32 s, f32x4 acc[FRAGS][FRAGS]) {
	u32x4 fa[FRAGS][PARTS], fb[FRAGS][PARTS];
	u32x2 sa[FRAGS], sb[FRAGS];

	WAIT_LGKMCNT(0);
	BARRIER();
	read_codes(codes_a, p->wave_row, fa);
	read_codes(codes_b, p->wave_col, fb);
	read_scales(scales_a[s & 1], p->wave_row, sa);
	read_scales(scales_b[s & 1], p->wave_col, sb);
	wait_codes(fa, fb);
	BARRIER();
	wait_scales(sa, sb);
	multiply(fa, fb, sa, sb, acc);
}

KERNEL(256)
void mxfp8_gemm_f32(GLOBAL u8 *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                    const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE;
	u32 col = __builtin_amdgcn_workgroup_id_x() * TILE;
	struct product p = {
		make_panel(A, SA, row, M, K, ld_scale),
		make_panel(B, SB, col, N, K, ld_scale),
		WAVE() / 2 * 32,
		WAVE() % 2 * 32,
		K,
	};
	u32 steps = (K + STEP - 1) / STEP, rows = M - row < TILE ? M - row : TILE, s = 0;
	f32x4 acc[FRAGS][FRAGS] = {};
	struct staged next;

	load_step(&p, 0, &next);
	do {
		write_step(&next, s);
		load_step(&p, s + 1, &next);
		do_step(&p, s, acc);
	} while (++s < steps);
	store_tile(make_buffer(C + (u64)row * N * 4, rows * N * 4), p.wave_row, col + p.wave_col, N,
	           4, acc);
}
