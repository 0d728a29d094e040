/* The shuffle of packed codes for preshuffled GEMMs on gfx950: from rows to tiles of 16 rows and 16
 * bytes, [N/16][bytes/16][16 rows][16 bytes], padded with rows of zeros to whole workgroups.
 *
 * A wave moves 16 rows of 64 bytes: lane l takes row l % 16 and bytes 16 (l / 16), so that its
 * stores are contiguous. Any number of rows; a row is a multiple of 16 bytes.
 */
#include "../gfx950.h"

enum { ROWS = 16, CHUNK = 16, OF_WAVE = 64 };

STREAM_KERNEL(64)
void shuffle_codes(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 bytes) {
	u32 tile = __builtin_amdgcn_workgroup_id_y(), row = tile * ROWS + LANE() % ROWS;
	u32 at = __builtin_amdgcn_workgroup_id_x() * OF_WAVE + LANE() / ROWS * CHUNK;
	u32x4 codes = { 0 };
	if (at >= bytes)
		return;
	if (row < rows)
		codes = *(const GLOBAL u32x4 *)(from + (u64)row * bytes + at);
	u64 place = (u64)tile * ROWS * bytes + at * ROWS + LANE() % ROWS * CHUNK;
	*(GLOBAL u32x4 *)(to + place) = codes;
}
