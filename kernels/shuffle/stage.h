/* A tile of scales in LDS, 32 rows of 32 bytes, between the order of rows and that of a layout. For
 * device code only.
 *
 * A thread of 256 loads the four scales of a dword, so columns are a multiple of 4. In LDS
 * each four rows have their dwords in another order, so that neither the 16 lanes that read a
 * column nor the 32 lanes of a write have two in one bank. */
#ifndef STAGE_H
#define STAGE_H

#include "../gfx950.h"

enum { ROWS = 32, COLS = 32, THREADS = 256, WORDS = COLS / 4 };

/* What is between the writes of the tile and the reads of it. */
#ifndef TILE_BARRIER
#define TILE_BARRIER() LDS_BARRIER()
#endif

/* The tiles of 8 columns in a row of S32x8. */
#ifndef TILES
#define TILES(cols) (((cols) + 7) / 8)
#endif

/* Whether a tile of 8 columns is stored; the last one may have padding. */
#ifndef IS_STORED
#define IS_STORED(tile, cols) ((tile) < TILES(cols))
#endif

/* The byte that pads. */
#ifndef FILL
#define FILL(fill) (fill)
#endif

/* A byte of a dword in its low bits. */
#ifndef BYTE
#define BYTE(word, i) ((word) >> 8 * (i)&0xff)
#endif

SHARED u32 words[ROWS * WORDS];

INLINE u32 thread(void) {
	return WAVE() * 64 + LANE();
}

/* The tile's first row and column. */
INLINE u32 first_row(void) {
	return __builtin_amdgcn_workgroup_id_y() * ROWS;
}
INLINE u32 first_col(void) {
	return __builtin_amdgcn_workgroup_id_x() * COLS;
}

INLINE u32 place_of(u32 row, u32 word) {
	return row * WORDS + (word ^ row / 4);
}

/* The thread's dword, from row `from` of the source. Where there is no such row or column it is the
 * byte `fill`. */
INLINE void stage(const GLOBAL u8 *scales, u64 from, u32 is_row, u32 cols, u32 fill) {
	u32 col = first_col() + thread() % WORDS * 4, word = FILL(fill) * 0x01010101;
	if (is_row && col < cols)
		word = *(const GLOBAL u32 *)(scales + from * cols + col);
	words[place_of(thread() / WORDS, thread() % WORDS)] = word;
}

INLINE u32 staged(u32 row, u32 word) {
	return words[place_of(row, word)];
}

/* Stores the tile as S32x8, [R/32][C/8][C%4][R%16][C/4%2][R/16%2]: a wave has 8 columns. */
INLINE void store_s32x8(GLOBAL u8 *to, u32 cols) {
	u32 wave = WAVE(), row = LANE() % 16, col = LANE() / 16, none = 0x0c;
	u32 tile = first_col() / 8 + wave, tiles = TILES(cols);
	/* byte `col` of a row, and of the row 16 below */
	u32 low = col | (4 + col) << 8 | none << 16 | none << 24;
	u32 high = none | none << 8 | col << 16 | (4 + col) << 24;
	u32 first = __builtin_amdgcn_perm(staged(row + 16, 2 * wave), staged(row, 2 * wave), low);
	u32 second = __builtin_amdgcn_perm(staged(row + 16, 2 * wave + 1),
	                                   staged(row, 2 * wave + 1), high);
	GLOBAL u32 *at = (GLOBAL u32 *)(to + ((u64)(first_row() / 32) * tiles + tile) * 256);
	if (IS_STORED(tile, cols))
		at[LANE()] = first | second;
}

#endif
