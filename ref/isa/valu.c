/* The vector ALU: brings operands to lane functions, and results back under EXEC [ISA chapter 6].
 */
#include <string.h>

#include "lanes.h"
#include "machine.h"

/* Sources of one instruction: values for the lane function, and which bits of them
 * nobody wrote. `copy` holds those that are not a register as it stands. */
struct sources {
	struct mx_lanes x;
	mx_vreg copy[3][2], unwritten[3][2];
	bool any_unwritten;
	uint64_t mask_unwritten;
	uint64_t lanes;        /* that the result goes to: EXEC, but for DPP */
	int8_t from[MX_LANES]; /* DPP: the lane that source 0 comes from, or -1: it is 0 */
};

/* ---- sources ---- */

static void broadcast(mx_vreg d, uint32_t value) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = value;
}

static void fetch_scalar(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                         struct sources *s) {
	unsigned code = in->src[i], n = in->op->s[i];
	uint64_t value = n == 2 ? mx_sread64(w, in, code) : mx_sread(w, in, code);
	for (unsigned h = 0; h < n; h++) {
		broadcast(s->copy[i][h], (uint32_t)(value >> (32 * h)));
		s->any_unwritten |= mx_sread_unwritten(w, code + h) != 0;
	}
	s->x.s[i] = (const uint32_t(*)[MX_LANES])s->copy[i];
}

static void fetch_vector(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                         struct sources *s) {
	unsigned row = mx_row(in->src[i]), n = in->op->s[i];
	if (!mx_vgprs_exist(w, in, row, n))
		row = 0;
	s->x.s[i] = (const uint32_t(*)[MX_LANES])(w->v + row);
	for (unsigned h = 0; h < n; h++)
		s->any_unwritten |= w->unwritten_lanes[row + h] != 0;
}

/* Byte 0..3, word 4..5 or dword 6 of a value [ISA 13.3.9]. */
static uint32_t sub_dword(uint32_t v, unsigned sel, bool sext) {
	unsigned shift = sel < 4 ? 24 - 8 * sel : sel == 4 ? 16 : 0;
	unsigned width = sel < 4 ? 8 : sel < 6 ? 16 : 32;
	uint32_t high = v << shift;
	return sext ? (uint32_t)((int32_t)high >> (32 - width)) : high >> (32 - width);
}

static void select_sub_dword(const struct mx_inst *in, unsigned i, const uint32_t *v, uint32_t *d) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = sub_dword(v[l], in->sdwa.sel[i], in->sdwa.sext[i]);
}

/* ---- DPP: source 0 from other lanes ---- */

enum { NO_LANE = -1, ROW = 16, BANK = 4, UNKNOWN_CTRL = -2 };

/* Lane `to` of a shift within `size` lanes; rotations stay inside. */
static int shifted(int lane, int by, int size, bool rotate) {
	int base = lane - lane % size, at = lane % size + by;
	if (rotate)
		return base + (at + size) % size;
	return at < 0 || at >= size ? NO_LANE : base + at;
}

/* The lane that DPP_CTRL sends to `lane` [ISA table of DPP_CTRL]. */
static int dpp_source(unsigned ctrl, int lane) {
	int n = (int)ctrl & 15;
	if (ctrl < 0x100)
		return (lane & ~3) + (int)(ctrl >> 2 * (lane & 3) & 3);
	switch (ctrl & 0x1f0) {
	case 0x100: return n ? shifted(lane, n, ROW, false) : UNKNOWN_CTRL;
	case 0x110: return n ? shifted(lane, -n, ROW, false) : UNKNOWN_CTRL;
	case 0x120: return n ? shifted(lane, -n, ROW, true) : UNKNOWN_CTRL;
	case 0x150: return lane - lane % ROW + n;
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
	return UNKNOWN_CTRL;
}

/* A lane outside the row or wave gives 0, or its reader stays as it is. One that EXEC has
 * switched off counts as outside: later generations document this of FI = 0, the only
 * behaviour here (assumed). */
static void plan_dpp(struct mx_wave *w, const struct mx_inst *in, struct sources *s) {
	uint64_t exec = mx_exec(w);
	for (int l = 0; l < MX_LANES; l++) {
		int from = dpp_source(in->dpp.ctrl, l);
		bool on =
			in->dpp.row_mask >> l / ROW & 1 && in->dpp.bank_mask >> l % ROW / BANK & 1;
		if (from == UNKNOWN_CTRL)
			mx_find(w, in, MX_UNSUPPORTED, -1, 0, "DPP_CTRL 0x%x", in->dpp.ctrl);
		if (from >= 0 && !(exec >> from & 1))
			from = NO_LANE;
		s->from[l] = from < 0 ? NO_LANE : (int8_t)from;
		if (!on || (from < 0 && !in->dpp.bound_zero))
			s->lanes &= ~(1ull << l);
	}
}

static void move_lanes(const struct sources *s, const uint32_t *v, uint32_t *d) {
	mx_vreg old;
	memcpy(old, v, sizeof old);
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = s->from[l] < 0 ? 0 : old[s->from[l]];
}

static void modify_float(const struct mx_inst *in, unsigned i, struct sources *s) {
	uint32_t keep = in->abs >> i & 1 ? 0x7fffffff : ~0u, flip = in->neg >> i & 1 ? 1u << 31 : 0;
	for (unsigned l = 0; l < MX_LANES; l++)
		s->copy[i][0][l] = (s->x.s[i][0][l] & keep) ^ flip;
	s->x.s[i] = (const uint32_t(*)[MX_LANES])s->copy[i];
}

static void fetch_mask(struct mx_wave *w, const struct mx_inst *in, struct sources *s) {
	unsigned code = in->src[2];
	s->x.mask_in = mx_sread64(w, in, code);
	if (code <= MX_EXEC) /* a register pair, not a constant */
		s->mask_unwritten = mx_pair(w->s_unwritten + code);
	s->any_unwritten |= s->mask_unwritten != 0;
}

static void fetch_destination(struct mx_wave *w, const struct mx_inst *in, struct sources *s) {
	unsigned row = mx_row(in->dst);
	if (!mx_vgprs_exist(w, in, row, 1))
		return;
	memcpy(s->x.d[0], w->v[row], sizeof(mx_vreg));
	s->any_unwritten |= w->unwritten_lanes[row] != 0;
}

/* f32 arithmetic is exact for round-to-nearest-even with subnormals kept (MODE 1:0 = 0, 5:4 = 3).
 */
static void check_mode(struct mx_wave *w, const struct mx_inst *in) {
	uint32_t mode = w->mode;
	if ((mode & 3) != 0 || (mode >> 4 & 3) != 3)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        "MODE 0x%x: only round to nearest even, f32 "
		        "denormals kept",
		        mode);
}

static void fetch(struct mx_wave *w, const struct mx_inst *in, struct sources *s) {
	const struct mx_op *op = in->op;
	s->any_unwritten = false;
	s->mask_unwritten = s->x.mask_in = s->x.mask_out = 0;
	s->lanes = mx_exec(w);
	if (in->dpp.used)
		plan_dpp(w, in, s);
	for (unsigned i = 0; i < 3 && op->s[i]; i++) {
		if (in->src[i] >= MX_VGPR)
			fetch_vector(w, in, i, s);
		else
			fetch_scalar(w, in, i, s);
		if (in->sdwa.used && i < 2) {
			select_sub_dword(in, i, s->x.s[i][0], s->copy[i][0]);
			s->x.s[i] = (const uint32_t(*)[MX_LANES])s->copy[i];
		}
		if (in->dpp.used && i == 0) {
			move_lanes(s, s->x.s[0][0], s->copy[0][0]);
			s->x.s[0] = (const uint32_t(*)[MX_LANES])s->copy[0];
		}
		if (op->flags & MX_F32 && (in->neg | in->abs) >> i & 1)
			modify_float(in, i, s);
	}
	if (op->flags & (MX_F32 | MX_ROUNDS))
		check_mode(w, in);
	if (op->flags & MX_CARRY_IN)
		fetch_mask(w, in, s);
	if (op->flags & MX_READS_D)
		fetch_destination(w, in, s);
	s->x.truth = in->neg | in->abs << 3 | in->omod << 6;
}

/* ---- what of the result nobody wrote ---- */

/* Fills in s->unwritten; only called where any_unwritten is set. */
static void fetch_unwritten(struct mx_wave *w, const struct mx_inst *in, struct sources *s) {
	const struct mx_op *op = in->op;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned h = 0; h < op->s[i]; h++) {
			unsigned code = in->src[i] + h;
			if (code >= MX_VGPR)
				for (unsigned l = 0; l < MX_LANES; l++)
					s->unwritten[i][h][l] = mx_vunwritten(w, mx_row(code), l);
			else
				broadcast(s->unwritten[i][h], mx_sread_unwritten(w, code));
			if (in->sdwa.used && i < 2)
				select_sub_dword(in, i, s->unwritten[i][h], s->unwritten[i][h]);
			if (in->dpp.used && i == 0)
				move_lanes(s, s->unwritten[0][0], s->unwritten[0][0]);
		}
	if (op->flags & MX_READS_D) /* counted with the first source */
		for (unsigned l = 0; l < MX_LANES; l++)
			s->unwritten[0][0][l] |= mx_vunwritten(w, mx_row(in->dst), l);
}

static uint32_t source_unwritten(const struct mx_op *op, const struct sources *s, unsigned i,
                                 unsigned l) {
	if (!op->s[i])
		return 0;
	return s->unwritten[i][0][l] | (op->s[i] > 1 ? s->unwritten[i][1][l] : 0);
}

/* Lanes in which any source bit (or only a control bit) is unwritten. */
static uint64_t tainted_lanes(const struct mx_op *op, const struct sources *s, bool controls_only) {
	uint64_t lanes = s->mask_unwritten;
	for (unsigned i = 0; i < 3; i++)
		if (!controls_only || op->flags & MX_CONTROL0 << i)
			for (unsigned l = 0; l < MX_LANES; l++)
				lanes |= (uint64_t)(source_unwritten(op, s, i, l) != 0) << l;
	return lanes;
}

/* Where each result bit is a monotone function of source bits, a result bit depends on
 * the unwritten ones exactly if it changes when they go from all 0 to all 1. */
static void flip_unwritten(const struct mx_inst *in, const struct sources *s, mx_vreg d[2]) {
	struct mx_lanes low = s->x, high = s->x;
	mx_vreg a[3][2], b[3][2];
	for (unsigned i = 0; i < 3 && in->op->s[i]; i++) {
		for (unsigned h = 0; h < in->op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++) {
				a[i][h][l] = s->x.s[i][h][l] & ~s->unwritten[i][h][l];
				b[i][h][l] = s->x.s[i][h][l] | s->unwritten[i][h][l];
			}
		low.s[i] = (const uint32_t(*)[MX_LANES])a[i];
		high.s[i] = (const uint32_t(*)[MX_LANES])b[i];
	}
	in->op->lanes(&low);
	in->op->lanes(&high);
	for (unsigned h = 0; h < in->op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			d[h][l] = low.d[h][l] ^ high.d[h][l];
}

static void result_unwritten(const struct mx_inst *in, const struct sources *s, mx_vreg d[2]) {
	bool bitwise = in->op->flags & MX_BITWISE;
	uint64_t all = tainted_lanes(in->op, s, bitwise);
	if (bitwise)
		flip_unwritten(in, s, d);
	else
		memset(d, 0, 2 * sizeof *d);
	for (unsigned h = 0; h < in->op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			if (all >> l & 1)
				d[h][l] = ~0u;
}

/* ---- destinations ---- */

/* Puts a result into its part of the old destination. */
static void place_sub_dword(const struct mx_inst *in, const mx_vreg old, mx_vreg d) {
	unsigned sel = in->sdwa.dst_sel;
	unsigned shift = sel < 4 ? 8 * sel : sel == 5 ? 16 : 0;
	uint32_t mask = sel < 4 ? 0xff : sel < 6 ? 0xffff : ~0u;
	uint32_t sign = (mask >> 1) + 1;
	enum { PAD, SEXT, PRESERVE };
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t part = d[l] & mask, rest = 0;
		if (in->sdwa.dst_unused == PRESERVE)
			rest = old[l] & ~(mask << shift);
		else if (in->sdwa.dst_unused == SEXT && part & sign)
			rest = ~(((uint64_t)mask << shift) | ((1ull << shift) - 1));
		d[l] = part << shift | rest;
	}
}

static void write_vector(struct mx_wave *w, const struct mx_inst *in, struct sources *s,
                         mx_vreg u[2]) {
	unsigned row = mx_row(in->dst), n = in->op->d;
	if (!mx_vgprs_exist(w, in, row, n))
		return;
	if (in->sdwa.used && in->sdwa.dst_sel != 6) {
		mx_vreg old;
		place_sub_dword(in, w->v[row], s->x.d[0]);
		for (unsigned l = 0; l < MX_LANES; l++)
			old[l] = mx_vunwritten(w, row, l);
		if (!u && w->unwritten_lanes[row]) {
			u = s->unwritten[0];
			memset(u, 0, sizeof(mx_vreg));
		}
		if (u)
			place_sub_dword(in, old, u[0]);
	}
	for (unsigned h = 0; h < n; h++)
		mx_vwrite(w, row + h, s->lanes, s->x.d[h], u ? u[h] : NULL);
}

/* Lane masks: inactive lanes get 0. */
static void write_mask(struct mx_wave *w, unsigned code, uint64_t mask, uint64_t tainted) {
	uint64_t exec = mx_exec(w);
	mx_swrite64(w, code, mask & exec, 0);
	w->s_unwritten[code] = (uint32_t)(tainted & exec);
	w->s_unwritten[code + 1] = (uint32_t)((tainted & exec) >> 32);
}

void mx_exec_valu(struct mx_wave *w, const struct mx_inst *in) {
	struct sources s;
	mx_vreg u[2];
	fetch(w, in, &s);
	in->op->lanes(&s.x);
	if (s.any_unwritten) {
		fetch_unwritten(w, in, &s);
		result_unwritten(in, &s, u);
	}
	if (in->op->flags & MX_CARRY_OUT)
		write_mask(w, in->sdst, s.x.mask_out,
		           s.any_unwritten ? tainted_lanes(in->op, &s, false) : 0);
	write_vector(w, in, &s, s.any_unwritten ? u : NULL);
}

void mx_exec_vcmp(struct mx_wave *w, const struct mx_inst *in) {
	struct sources s;
	fetch(w, in, &s);
	in->op->lanes(&s.x);
	uint64_t tainted = 0;
	if (s.any_unwritten) {
		fetch_unwritten(w, in, &s);
		tainted = tainted_lanes(in->op, &s, false);
	}
	uint64_t exec = mx_exec(w), mask = s.x.mask_out & exec;
	write_mask(w, in->sdst, mask, tainted);
	if (!(in->op->flags & MX_EXEC_OUT) && in->sdst != MX_EXEC)
		return;
	if (tainted & exec)
		mx_find(w, in, MX_UNWRITTEN, __builtin_ctzll(tainted & exec), 0,
		        "EXEC from a value nobody wrote");
	mx_swrite64(w, MX_EXEC, mask, 0);
}
