/* Moves between lanes of vector registers, and between lanes and scalars [ISA 12.8, 12.11]. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "functions.h"
#include "vector.h"

#define MOVE(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)

static void put_lane(struct mx_wave *w, unsigned row, unsigned lane, uint32_t value,
                     uint32_t unwritten) {
	uint64_t bit = 1ull << lane, others = w->unwritten_lanes[row] & ~bit;
	w->v[row][lane] = value;
	mx_mixed_row(w, row)[lane] = unwritten;
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

static uint32_t half(uint32_t v, bool high) {
	return high ? v >> 16 : v & 0xffff;
}
static uint32_t with_half(uint32_t v, bool high, uint32_t h) {
	return high ? (v & 0xffff) | h << 16 : (v & 0xffff0000) | h;
}

/* OP_SEL selects a half of each register, which may be one register. */
MOVE(v_swap_b16) {
	unsigned s = mx_row_at(in, MX_AT_SRC0), d = mx_row_at(in, MX_AT_RESULT), l;
	bool high_s = in->op_sel & 1, high_d = in->op_sel >> 3 & 1;
	if (!mx_vgprs_exist(w, in, s, 1) || !mx_vgprs_exist(w, in, d, 1))
		return;
	MX_FOR_LANES(l, mx_exec(w)) {
		uint32_t v = half(w->v[s][l], high_s), u = half(mx_vunwritten(w, s, l), high_s);
		uint32_t old = half(w->v[d][l], high_d),
			 old_u = half(mx_vunwritten(w, d, l), high_d);
		put_lane(w, d, l, with_half(w->v[d][l], high_d, v),
		         with_half(mx_vunwritten(w, d, l), high_d, u));
		put_lane(w, s, l, with_half(w->v[s][l], high_s, old),
		         with_half(mx_vunwritten(w, s, l), high_s, old_u));
	}
}

MOVE(v_permlane16_swap_b32) {
	exchange(w, in, 16);
}
MOVE(v_permlane32_swap_b32) {
	exchange(w, in, 32);
}

/* ---- lanes of one register, of gfx1250 ---- */

enum { ROW = 16, KEEP = -1, ZERO = -2 };

/* Four bits for each lane select a lane of its row, or of the other row of its pair [RDNA4's
 * manual]. OP_SEL[0] takes inactive lanes, too; else OP_SEL[1] makes them zero. */
static void lanes_of_rows(const struct mx_wave *w, const struct mx_inst *in, unsigned across,
                          bool vector, int from[MX_LANES]) {
	uint64_t exec = mx_exec(w), bits = 0;
	if (!vector)
		bits = mx_sread(w, in, mx_source(in, 1)) |
		       (uint64_t)mx_sread(w, in, mx_source(in, 2)) << 32;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint64_t select = vector ? w->v[mx_row_at(in, MX_AT_SRC1)][l] : bits >> 4 * (l % ROW);
		unsigned lane = ((l & ~(ROW - 1u)) ^ across) | (select & (ROW - 1));
		bool taken = in->op_sel & 1 || exec >> lane & 1;
		from[l] = taken ? (int)lane : in->op_sel & 2 ? ZERO : KEEP;
	}
}

/* The lanes of a group, which source 2 gives. */
static unsigned group_size(const struct mx_wave *w, uint32_t n) {
	unsigned wave = w->group->run->isa->wave_size;
	return n && n <= wave && !(n & (n - 1)) ? n : wave;
}

/* The lane of a group that its lane `at` takes; it may be outside. */
static uint64_t other_of_group(mx_opcode op, uint64_t at, uint32_t n, unsigned size) {
	switch (op) {
	case MX_OP_v_permlane_bcast_b32: return n % size;
	case MX_OP_v_permlane_up_b32: return at - n;
	case MX_OP_v_permlane_down_b32: return at + n;
	default: return at ^ n;
	}
}

/* A lane that would take one outside its group takes its own [assumed]. Returns the active lanes
 * of which this, or the value of an inactive lane, is assumed. */
static uint64_t lanes_of_groups(const struct mx_wave *w, const struct mx_inst *in,
                                int from[MX_LANES]) {
	uint32_t n = mx_sread(w, in, mx_source(in, 1)), width = mx_sread(w, in, mx_source(in, 2));
	unsigned size = group_size(w, width);
	uint64_t exec = mx_exec(w), assumed = size == width ? 0 : exec;
	for (uint64_t l = 0; l < MX_LANES; l++) {
		uint64_t at = l % size, other = other_of_group(in->op->id, at, n, size);
		from[l] = (int)(l - at + (other < size ? other : at));
		bool open = other >= size || !(exec >> from[l] & 1);
		assumed |= (uint64_t)open << l & exec;
	}
	return assumed;
}

uint64_t mx_permuted_lanes(const struct mx_wave *w, const struct mx_inst *in,
                           int from[MX_LANES]) {
	switch (in->op->id) {
	case MX_OP_v_permlane16_b32: lanes_of_rows(w, in, 0, false, from); return 0;
	case MX_OP_v_permlanex16_b32: lanes_of_rows(w, in, ROW, false, from); return 0;
	case MX_OP_v_permlane16_var_b32: lanes_of_rows(w, in, 0, true, from); return 0;
	case MX_OP_v_permlanex16_var_b32: lanes_of_rows(w, in, ROW, true, from); return 0;
	default: return lanes_of_groups(w, in, from);
	}
}

/* Each active lane takes a lane's value, or keeps its own result, or gets zero. */
static void take_lanes(struct mx_wave *w, const struct mx_inst *in) {
	unsigned s = mx_row_at(in, MX_AT_SRC0), d = mx_row_at(in, MX_AT_RESULT), l;
	mx_vreg v = { 0 }, unwritten = { 0 };
	int from[MX_LANES];
	uint64_t lanes = 0, assumed = mx_permuted_lanes(w, in, from);
	if (assumed)
		mx_assume(w, in, assumed, MX_ASSUMES_LANE_GROUP);
	if (!mx_vgprs_exist(w, in, s, 1) || !mx_vgprs_exist(w, in, d, 1))
		return;
	MX_FOR_LANES(l, mx_exec(w)) {
		lanes |= from[l] == KEEP ? 0 : 1ull << l;
		v[l] = from[l] < 0 ? 0 : w->v[s][from[l]];
		unwritten[l] = from[l] < 0 ? 0 : mx_vunwritten(w, s, (unsigned)from[l]);
	}
	mx_vwrite(w, d, lanes, v, unwritten);
}

/* A scalar source that selects lanes. */
static void check_selector(struct mx_wave *w, const struct mx_inst *in, unsigned i) {
	if (mx_sread_unwritten(w, mx_source(in, i)))
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(LANE_UNWRITTEN));
}

static void permute_by_scalars(struct mx_wave *w, const struct mx_inst *in) {
	check_selector(w, in, 1);
	check_selector(w, in, 2);
	take_lanes(w, in);
}

static void permute_by_register(struct mx_wave *w, const struct mx_inst *in) {
	unsigned row = mx_row_at(in, MX_AT_SRC1), l;
	if (!mx_vgprs_exist(w, in, row, 1))
		return;
	MX_FOR_LANES(l, mx_exec(w))
	if (mx_vunwritten(w, row, l) & (ROW - 1)) {
		mx_find(w, in, MX_UNWRITTEN, (int)l, 0, MX_BECAUSE(LANE_UNWRITTEN));
		return;
	}
	take_lanes(w, in);
}

MOVE(v_permlane16_b32) {
	permute_by_scalars(w, in);
}
MOVE(v_permlanex16_b32) {
	permute_by_scalars(w, in);
}
MOVE(v_permlane16_var_b32) {
	permute_by_register(w, in);
}
MOVE(v_permlanex16_var_b32) {
	permute_by_register(w, in);
}
MOVE(v_permlane_bcast_b32) {
	permute_by_scalars(w, in);
}
MOVE(v_permlane_up_b32) {
	permute_by_scalars(w, in);
}
MOVE(v_permlane_down_b32) {
	permute_by_scalars(w, in);
}
MOVE(v_permlane_xor_b32) {
	permute_by_scalars(w, in);
}

/* Exchanges halves of a wave of 64; nothing in one of 32 [RDNA4's manual]. */
MOVE(v_permlane64_b32) {
	(void)w, (void)in;
}

/* The address for ds_bpermute of the lane of the group that the low bits of source 0 select. */
MOVE(v_permlane_idx_gen_b32) {
	unsigned s = mx_row_at(in, MX_AT_SRC0), d = mx_row_at(in, MX_AT_RESULT);
	unsigned size = group_size(w, mx_sread(w, in, mx_source(in, 1)));
	mx_vreg v, unwritten;
	check_selector(w, in, 1);
	if (!mx_vgprs_exist(w, in, s, 1) || !mx_vgprs_exist(w, in, d, 1))
		return;
	for (unsigned l = 0; l < MX_LANES; l++) {
		v[l] = 4 * (l - l % size + w->v[s][l] % size);
		unwritten[l] = 4 * (mx_vunwritten(w, s, l) & (size - 1));
	}
	mx_vwrite(w, d, mx_exec(w), v, unwritten);
}

/* Exceptions are not modelled, so there is nothing to clear. */
MOVE(v_clrexcp) {
	(void)w, (void)in;
}
