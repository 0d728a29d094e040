/* Kernels that only move data: a shuffle of scales, right and with a bug each, and a transpose. */
#include "../../kernels/gfx950.h"

enum { RIGHT, NO_PADDING, PADDING_OF_ZERO, DIGITS_SWAPPED };

/* s32x8: [R/32][C/8][C%4][R%16][C/4%2][R/16%2], padded to 32 x 8; a thread writes a byte. */
KERNEL(256)
void shuffle(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 cols, u32 padded_cols, u32 bytes,
             u32 bug) {
	u32 at = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
	if (at >= bytes)
		return;
	u32 low = at & 1, high = at >> 1 & 1, tile = at / 256;
	if (bug == DIGITS_SWAPPED) {
		u32 t = low;
		low = high;
		high = t;
	}
	u32 row = tile / (padded_cols / 8) * 32 + low * 16 + at / 4 % 16;
	u32 col = tile % (padded_cols / 8) * 8 + high * 4 + at / 64 % 4;
	if (row < rows && col < cols)
		to[at] = from[row * cols + col];
	else if (bug != NO_PADDING)
		to[at] = bug == PADDING_OF_ZERO ? 0 : 127;
}

KERNEL(256) void transpose(const GLOBAL u16 *from, GLOBAL u16 *to, u32 rows, u32 cols) {
	u32 at = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
	if (at < rows * cols)
		to[at % cols * rows + at / cols] = from[at];
}

/* Copies lines of u16 with any distances, in matrices with any distance: all in bytes, but `cols`.
 * A byte of the target at `also`, if it is not 0, is written too. */
KERNEL(64)
void copy_lines(const GLOBAL u8 *from, GLOBAL u8 *to, u32 cols, u32 ld, u32 plane, u32 to_ld,
                u32 to_plane, u32 also) {
	u32 line = __builtin_amdgcn_workgroup_id_x(), matrix = __builtin_amdgcn_workgroup_id_y();
	u32 i = __builtin_amdgcn_workitem_id_x();
	const GLOBAL u8 *source = from + matrix * plane + line * ld;
	GLOBAL u8 *target = to + matrix * to_plane + line * to_ld;
	if (i < cols)
		((GLOBAL u16 *)target)[i] = ((const GLOBAL u16 *)source)[i];
	if (also && !line && !matrix && !i)
		to[also] = 1;
}
