/* The layout of groups for gfx950, computed on the device: source[g] and padded[g] are the first
 * row of group g without padding, and with each group padded to a multiple of `pad`; entry `groups`
 * of both is the end.
 *
 * The host knows only a bound on the rows of a group. A wave scans 64 groups at a time. Any number
 * of groups; `pad` is a power of two; all rows together are below 2^32. */
#include "../gfx950.h"

/* The rows of a padded group. */
#ifndef PADDED
#define PADDED(rows, pad) (((rows) + (pad)-1) & ~((pad)-1))
#endif

/* x plus that of an earlier lane, if the lane is in `rows`. */
#define ADD_DPP(x, control, rows) ((x) + __builtin_amdgcn_update_dpp(0, x, control, rows, 15, 0))

/* The sum over this lane and those before it. */
INLINE u32 scan(u32 x) {
	enum { SHIFT = 0x110, FROM_15 = 0x142, FROM_31 = 0x143 }; /* row_shr:0, row_bcast */
	x = ADD_DPP(x, SHIFT + 1, 15);
	x = ADD_DPP(x, SHIFT + 2, 15);
	x = ADD_DPP(x, SHIFT + 4, 15);
	x = ADD_DPP(x, SHIFT + 8, 15);
	x = ADD_DPP(x, FROM_15, 10); /* lane 15 to lanes 16 to 31, 47 to 48 to 63 */
	return ADD_DPP(x, FROM_31, 12);
}

STREAM_KERNEL(64)
void group_layout(const GLOBAL u64 *rows, GLOBAL u32 *source, GLOBAL u32 *padded, u32 groups,
                  u32 pad) {
	buffer in = make_buffer(rows, groups * 8);
	buffer from = make_buffer(source, (groups + 1) * 4),
	       to = make_buffer(padded, (groups + 1) * 4);
	u32 from_end = 0, to_end = 0;
	if (LANE() == 0) {
		source[0] = 0;
		padded[0] = 0;
	}
	for (u32 first = 0; first < groups; first += 64) {
		u32 n = __builtin_amdgcn_raw_buffer_load_b32(in, (first + LANE()) * 8, 0, 0);
		u32 before = from_end + scan(n), with_padding = to_end + scan(PADDED(n, pad));
		u32 at = (first + LANE() + 1) * 4;
		__builtin_amdgcn_raw_buffer_store_b32(before, from, at, 0, 0);
		__builtin_amdgcn_raw_buffer_store_b32(with_padding, to, at, 0, 0);
		from_end = __builtin_amdgcn_readlane(before, 63);
		to_end = __builtin_amdgcn_readlane(with_padding, 63);
	}
}
