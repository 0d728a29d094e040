/* The shuffle of scales for preshuffled GEMMs on gfx950: from rows to S32x8 tiles,
 * [R/32][C/8][C%4][R%16][C/4%2][R/16%2], padded to whole tiles with a byte.
 *
 * A tile of 32 rows and 8 columns is 256 bytes, a wave. Each lane gathers the four bytes of its
 * dword. Any number of rows and columns.
 */
#include "../gfx950.h"

/* The tiles of a row. */
#ifndef TILES
#define TILES(cols) (((cols) + TILE_COLS - 1) / TILE_COLS)
#endif

enum { TILE_ROWS = 32, TILE_COLS = 8, TILE_BYTES = TILE_ROWS * TILE_COLS };

STREAM_KERNEL(64)
void shuffle_scales(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 fill) {
	u32 tile_row = __builtin_amdgcn_workgroup_id_y(),
	    tile_col = __builtin_amdgcn_workgroup_id_x();
	u32 tiles = TILES(cols);
	u32 row = tile_row * TILE_ROWS + LANE() % 16, col = tile_col * TILE_COLS + LANE() / 16;
	u32 packed = 0;
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		u32 r = row + i % 2 * 16, c = col + i / 2 * 4;
		u32 byte = fill;
		if (r < rows && c < cols)
			byte = from[(u64)r * cols + c];
		packed |= byte << 8 * i;
	}
	GLOBAL u32 *tile = (GLOBAL u32 *)(to + ((u64)tile_row * tiles + tile_col) * TILE_BYTES);
	tile[LANE()] = packed;
}
