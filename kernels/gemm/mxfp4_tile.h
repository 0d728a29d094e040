/* Common parts of the MXFP4 GEMMs on gfx950: a tile's operands to LDS, to registers and through
 * MFMA. TILE, the rows and columns of a workgroup's tile, and WAVES, its waves, must be defined
 * before.
 *
 * K is divided into steps of 256. LDS holds a row's 256 elements as 8 chunks of 16 bytes. Chunk c
 * of row r is in slot c ^ (r & 7), so that the 16 lanes that read one chunk of 16 rows spread over
 * all banks. LDS-DMA writes lanes in sequence, so the swizzle is applied to the global address:
 * lane l fetches the chunk for slot l & 7. */
#ifndef MXFP4_TILE_H
#define MXFP4_TILE_H

#include "../gfx950.h"

enum {
	STEP = 256,
	STEP_BLOCKS = STEP / 32,
	ROW_BYTES = STEP / 2,           /* bytes of an LDS row */
	PANEL_BYTES = TILE * ROW_BYTES, /* bytes of one operand and step */
	CHUNK = 16,
	CHUNKS = ROW_BYTES / CHUNK,
	DMA_ROWS = 64 / CHUNKS, /* rows of one buffer_load ... lds */
	FRAGS = 4,              /* 16-row fragments of 64 rows */
};

#include "../fragments.h"

/* A wave's operations for `rows` rows of a panel. */
#define DMAS(rows) ((rows) / DMA_ROWS / WAVES)

/* The number of a tile's rows that may be stored. */
#ifndef ROWS_STORED
#define ROWS_STORED(rows_left) ((rows_left) < TILE ? (rows_left) : TILE)
#endif

/* The number of an operand's rows in a panel's descriptor. */
#ifndef ROWS_READ
#define ROWS_READ(rows_left) ((rows_left) < TILE ? (rows_left) : TILE)
#endif

/* The byte of an operand at which a row begins. */
#ifndef OPERAND_AT
#define OPERAND_AT(row, ld) ((u64)(row) * (ld))
#endif

/* One operand's panel: a tile's rows of codes and scales, clipped to the matrix. */
struct panel {
	buffer codes, scales;
	u32 ld_codes, ld_scales;
};

INLINE struct panel make_panel(const GLOBAL u8 *codes, const GLOBAL u8 *scales, u32 row, u32 rows,
                               u32 K, u32 ld_scales) {
	u32 n = ROWS_READ(rows - row), ld = K / 2;
	return (struct panel){
		make_buffer(codes + OPERAND_AT(row, ld), n * ld),
		make_buffer(scales + OPERAND_AT(row, ld_scales), n * ld_scales),
		ld,
		ld_scales,
	};
}

/* Loads the wave's share of `rows` rows of a panel's step, from row `from` on. Rows past the matrix
 * are past the buffer's end; chunks past K use an offset past it. Both arrive as zeros. */
INLINE void load_rows(const struct panel *p, LDS u8 *panel, u32 from, u32 rows, u32 k_bytes) {
	u32 lane = LANE(), wave = WAVE();
	u32 slot = lane % CHUNKS, row_in_dma = lane / CHUNKS;
	for (u32 i = 0; i < DMAS(rows); i++) {
		u32 first = from + (wave * DMAS(rows) + i) * DMA_ROWS, row = first + row_in_dma;
		u32 k = k_bytes + (slot ^ (row & 7)) * CHUNK;
		u32 offset = k < p->ld_codes ? row * p->ld_codes + k : OUT_OF_RANGE;
		load_to_lds(p->codes, panel + first * ROW_BYTES, offset);
	}
}

/* Lane (row r, block b) gets the 8 scales of its row's step; see scale_word(). */
INLINE void load_scales(const struct panel *p, u32 first_row, u32 k_block, u32x2 s[FRAGS]) {
	u32 row = first_row + LANE() % 16;
	for (u32 i = 0; i < FRAGS; i++) {
		u32 offset = (row + 16 * i) * p->ld_scales + k_block;
		s[i] = __builtin_amdgcn_raw_buffer_load_b64(p->scales, offset, 0, 0);
	}
}

/* Of a row's 8 scales the lane needs two, those of block lane / 16 in the step's first and second
 * MFMA: bytes b and 4 + b, moved to bytes 0 and 1. Blocks past K get 0x00, which is 2^-127 and
 * harmless with zeros; an arbitrary 0xFF would give NaN. */
INLINE u32 scale_word(u32x2 s, u32 blocks_left) {
	u32 b = LANE() / 16, zero = 0x0c;
	u32 low = b < blocks_left ? b : zero, high = 4 + b < blocks_left ? 4 + b : zero;
	return __builtin_amdgcn_perm(s.y, s.x, low | high << 8 | zero << 16 | zero << 24);
}

/* The wave's fragments of a panel: lane (row r, block b) reads chunk 4 kk + b of row r. */
INLINE void read_fragments(const LDS u8 *panel, u32 first_row, u32x4 f[2][FRAGS]) {
	u32 r = first_row + LANE() % 16, b = LANE() / 16;
	u32 row = (u32)panel + r * ROW_BYTES;
	u32 address[2] = { row + (b ^ (r & 7)) * CHUNK, row + ((4 + b) ^ (r & 7)) * CHUNK };
#pragma unroll
	for (u32 kk = 0; kk < 2; kk++) {
		LDS_READ_B128(f[kk][0], address[kk], 0 * 16 * ROW_BYTES);
		LDS_READ_B128(f[kk][1], address[kk], 1 * 16 * ROW_BYTES);
		LDS_READ_B128(f[kk][2], address[kk], 2 * 16 * ROW_BYTES);
		LDS_READ_B128(f[kk][3], address[kk], 3 * 16 * ROW_BYTES);
	}
}

/* Waits for all LDS reads of the wave. The named fragments give the compiler the def-use edges
 * without which it may move an MFMA above the wait. */
INLINE void wait_fragments(u32x4 f[2][FRAGS], u32x4 g[2][FRAGS]) {
	asm volatile("s_waitcnt lgkmcnt(0)"
	             : "+v"(f[0][0]), "+v"(f[0][1]), "+v"(f[0][2]), "+v"(f[0][3]), "+v"(f[1][0]),
	               "+v"(f[1][1]), "+v"(f[1][2]), "+v"(f[1][3]), "+v"(g[0][0]), "+v"(g[0][1]),
	               "+v"(g[0][2]), "+v"(g[0][3]), "+v"(g[1][0]), "+v"(g[1][1]), "+v"(g[1][2]),
	               "+v"(g[1][3])
	             :
	             : "memory");
}

INLINE i32x8 fp4_operand(u32x4 f) {
	return (i32x8){ f.x, f.y, f.z, f.w, 0, 0, 0, 0 };
}

#define MFMA(a, b, c, byte, sa, sb)                                                                \
	__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(fp4_operand(a), fp4_operand(b), c, 4, 4,  \
	                                                 byte, sa, byte, sb)

INLINE void multiply(u32x4 a[2][FRAGS], u32x4 b[2][FRAGS], const u32 sa[FRAGS], const u32 sb[FRAGS],
                     f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++) {
			acc[i][j] = MFMA(a[0][i], b[0][j], acc[i][j], 0, sa[i], sb[j]);
			acc[i][j] = MFMA(a[1][i], b[1][j], acc[i][j], 1, sa[i], sb[j]);
		}
}

/* A wave's part of the product: its panels, its position in them, and K. */
struct product {
	struct panel a, b;
	u32 wave_row, wave_col, blocks; /* 32-blocks of K */
};

#endif
