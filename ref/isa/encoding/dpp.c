/* The source lane for each value of DPP_CTRL [ISA table of DPP_CTRL]. */
#include "dpp.h"

#include "../../mxref.h"

enum { ROW = MX_DPP_ROW, NO_LANE = MX_DPP_NO_LANE };

/* The lane at distance `by` from `lane` within a group of `size` lanes. Rotations stay in the
 * group. */
static int shifted(int lane, int by, int size, bool rotate) {
	int base = lane - lane % size, at = lane % size + by;
	if (rotate)
		return base + (at + size) % size;
	return at < 0 || at >= size ? NO_LANE : base + at;
}

static int source_of(unsigned ctrl, int lane) {
	int n = (int)ctrl & 15;
	if (ctrl < 0x100)
		return (lane & ~3) + (int)(ctrl >> 2 * (lane & 3) & 3);
	switch (ctrl & 0x1f0) {
	case 0x100: return n ? shifted(lane, n, ROW, false) : MX_DPP_UNKNOWN;
	case 0x110: return n ? shifted(lane, -n, ROW, false) : MX_DPP_UNKNOWN;
	case 0x120: return n ? shifted(lane, -n, ROW, true) : MX_DPP_UNKNOWN;
	case 0x150: return lane - lane % ROW + n;
	case 0x160: return lane ^ n;
	}
	switch (ctrl) {
	case 0x130: return shifted(lane, 1, MX_LANES, false);
	case 0x134: return shifted(lane, 1, MX_LANES, true);
	case 0x138: return shifted(lane, -1, MX_LANES, false);
	case 0x13c: return shifted(lane, -1, MX_LANES, true);
	case 0x140: return lane ^ 15;
	case 0x141: return lane ^ 7;
	case 0x142: return lane < ROW ? NO_LANE : lane - lane % ROW - 1;
	case 0x143: return lane < 2 * ROW ? NO_LANE : 2 * ROW - 1;
	}
	return MX_DPP_UNKNOWN;
}

int mx_dpp_source(const struct mx_inst *in, int lane) {
	enum { GROUP = 8, BITS = 3 };
	if (in->dpp.eight)
		return lane - lane % GROUP + (int)(in->dpp.eight >> BITS * (lane % GROUP) & 7);
	return source_of(in->dpp.ctrl, lane);
}
