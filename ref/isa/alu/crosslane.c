/* Moves between lanes of vector registers, and between lanes and scalars [ISA 12.8, 12.11]. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vector.h"

#define MOVE(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)

static void put_lane(struct mx_wave *w, unsigned row, unsigned lane, uint32_t value,
                     uint32_t unwritten) {
	uint64_t bit = 1ull << lane, others = w->unwritten_lanes[row] & ~bit;
	w->v[row][lane] = value;
	w->v_unwritten[row][lane] = unwritten;
	w->mixed[row / 64] |= 1ull << row % 64;
	w->unwritten_lanes[row] = others | (unwritten ? bit : 0);
	if (w->wanted & MX_WATCH_VGPR)
		mx_watch_vgpr(w, row, bit);
}

/* ---- one lane to a scalar ---- */

static void read_lane(struct mx_wave *w, const struct mx_inst *in, unsigned sdst, unsigned lane) {
	if (mx_source(in, 0) < MX_VGPR) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SCALAR_LANE));
		return;
	}
	unsigned row = mx_indexed_row(w, in, mx_source(in, 0), 0);
	if (!mx_vgprs_exist(w, in, row, 1))
		return;
	uint32_t unwritten = mx_vunwritten(w, row, lane);
	if (unwritten && (sdst == MX_EXEC || sdst == MX_EXEC + 1))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(EXEC_UNWRITTEN));
	mx_swrite(w, sdst, w->v[row][lane], unwritten);
}

/* The first active lane, or lane 0 if no lane is active [ISA 12.8]. */
MOVE(v_readfirstlane_b32) {
	uint64_t exec = mx_exec(w);
	read_lane(w, in, mx_result(in), exec ? __builtin_ctzll(exec) : 0);
}

/* The lane that source 1 selects, modulo the size of the wave. */
static unsigned lane_number(struct mx_wave *w, const struct mx_inst *in) {
	if (mx_source(in, 1) == MX_LITERAL)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(LITERAL_LANE));
	if (mx_sread_unwritten(w, mx_source(in, 1)))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(LANE_UNWRITTEN));
	return mx_sread(w, in, mx_source(in, 1)) & (w->group->run->isa->wave_size - 1);
}

MOVE(v_readlane_b32) {
	read_lane(w, in, mx_result(in), lane_number(w, in));
}

/* ---- a scalar to one lane, independent of EXEC ---- */

MOVE(v_writelane_b32) {
	unsigned row = mx_indexed_row(w, in, mx_result(in), MX_VDST);
	unsigned code = mx_source(in, 0), lane = lane_number(w, in);
	if (mx_vgprs_exist(w, in, row, 1))
		put_lane(w, row, lane, mx_sread(w, in, code), mx_sread_unwritten(w, code));
}

/* ---- two registers exchange lanes ---- */

/* Exchanges lane l of the source with lane l + distance of the destination, for each l with bit
 * `distance` clear. No source defines the result of an active lane with an inactive partner. */
static void exchange(struct mx_wave *w, const struct mx_inst *in, unsigned distance) {
	unsigned s = mx_row_at(in, MX_AT_SRC0), d = mx_row_at(in, MX_AT_RESULT);
	uint64_t exec = mx_exec(w);
	if (!mx_vgprs_exist(w, in, s, 1) || !mx_vgprs_exist(w, in, d, 1))
		return;
	for (unsigned l = 0; l < MX_LANES; l++) {
		unsigned to = l + distance;
		if (l & distance)
			continue;
		if ((exec >> l & 1) != (exec >> to & 1)) {
			mx_find(w, in, MX_UNSUPPORTED, (int)l, 0, MX_BECAUSE(ONE_OF_TWO_LANES));
			return;
		}
		uint32_t v = w->v[s][l], unwritten = mx_vunwritten(w, s, l);
		if (!(exec >> l & 1))
			continue;
		put_lane(w, s, l, w->v[d][to], mx_vunwritten(w, d, to));
		put_lane(w, d, to, v, unwritten);
	}
}

MOVE(v_swap_b32) {
	exchange(w, in, 0);
}
MOVE(v_permlane16_swap_b32) {
	exchange(w, in, 16);
}
MOVE(v_permlane32_swap_b32) {
	exchange(w, in, 32);
}

/* Exceptions are not modelled, so there is nothing to clear. */
MOVE(v_clrexcp) {
	(void)w, (void)in;
}
