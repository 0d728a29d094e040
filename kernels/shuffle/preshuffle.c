/* The preshuffle of scales for gfx950, through LDS: from rows to S32x8 (CK, AITER, Wave), to 16x4
 * of dwords (Primus-Turbo), and to S32x8 in the order of sorted tokens (AITER's mixture of
 * experts).
 *
 * stage.h describes the tile. Any number of rows; columns are a multiple of 4; what pads a tile is
 * the byte `fill`. Loads and stores are contiguous.
 *
 * Of padded groups (quantise/group_layout.c) only the device has the number of rows: it is
 * padded[groups], and workgroups past it end. Each group is a multiple of 32 rows, so its tiles are
 * its own. */
#include "stage.h"

/* The rows of all groups. */
#ifndef GROUP_ROWS
#define GROUP_ROWS(padded, groups) ((padded)[groups])
#endif

INLINE void to_s32x8(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill) {
	u32 row = first_row() + thread() / WORDS;
	stage(from, row, row < rows, cols, fill);
	TILE_BARRIER();
	store_s32x8(to, cols);
}

/* [R/16][C/4][C%4][R%16], each scale a dword; rows are padded to 16. */
INLINE void to_16x4(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill) {
	u32 row = first_row() + thread() / WORDS;
	stage(from, row, row < rows, cols, fill);
	TILE_BARRIER();
#pragma unroll
	for (u32 i = 0; i < ROWS * COLS / THREADS; i++) {
		u32 at = i * THREADS + thread(), half = at / (16 * COLS), r = at % 16;
		u32 c = at / 16 % COLS, first = first_row() + half * 16;
		u32 scale = BYTE(staged(half * 16 + r, c / 4), c % 4);
		GLOBAL u32 *panel = (GLOBAL u32 *)to + (u64)first * cols;
		if (first < rows && first_col() + c < cols)
			panel[(first_col() + c) * 16 + r] = scale;
	}
}

STREAM_KERNEL(THREADS)
void preshuffle_s32x8(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill) {
	to_s32x8(from, to, rows, cols, fill);
}

STREAM_KERNEL(THREADS)
void preshuffle_16x4(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill) {
	to_16x4(from, to, rows, cols, fill);
}

#define GROUPS_KERNEL(layout)                                                                      \
	STREAM_KERNEL(THREADS)                                                                     \
	void preshuffle_##layout##_groups(const GLOBAL u8 *from, GLOBAL u8 *to,                    \
	                                  const CONSTANT u32 *padded, u32 groups, u32 cols,        \
	                                  u32 fill) {                                              \
		u32 rows = GROUP_ROWS(padded, groups);                                             \
		if (first_row() < rows)                                                            \
			to_##layout(from, to, rows, cols, fill);                                   \
	}
GROUPS_KERNEL(s32x8)
GROUPS_KERNEL(16x4)

/* Row i of the output is the row that the low 24 bits of ids[i] name, and `fill` if there is none.
 * The output has `sorted` rows, padded to whole tiles. */
STREAM_KERNEL(THREADS)
void sort_s32x8(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill, u32 sorted,
                const GLOBAL u32 *ids) {
	u32 row = first_row() + thread() / WORDS, token = rows;
	if (row < sorted)
		token = ids[row] & 0xffffff;
	stage(from, token, token < rows, cols, fill);
	TILE_BARRIER();
	store_s32x8(to, cols);
}
