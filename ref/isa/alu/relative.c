/* Indexed registers: scalar moves relative to M0, and the mode in which the vector ALU adds M0 to
 * VGPR numbers [ISA 5.7, 6.6]. */
#include <string.h>

#include "../encoding/gfx950.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vector.h"

#define FLOW(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)

/* ---- scalar moves ---- */

/* The SGPR of an operand plus an index of M0. One that leaves the kind of register is illegal [ISA
 * 3.6.1] and stops the launch. */
static bool indexed(struct mx_wave *w, const struct mx_inst *in, unsigned code, unsigned dwords,
                    uint32_t index, unsigned *sgpr) {
	uint64_t to = (uint64_t)code + index;
	if (w->s_unwritten[MX_M0])
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(NUMBER_UNWRITTEN));
	uint32_t allocated = w->group->run->launch->kernel->sgprs;
	unsigned end = allocated && allocated < MX_SGPRS ? allocated : MX_SGPRS;
	if (code + dwords > end || to + dwords > end || to % dwords) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(M0_OPERAND, w->s[MX_M0], code));
		return false;
	}
	*sgpr = (unsigned)to;
	return true;
}

static bool relative(struct mx_wave *w, const struct mx_inst *in, unsigned code, unsigned dwords,
                     unsigned *sgpr) {
	return indexed(w, in, code, dwords, w->s[MX_M0], sgpr);
}

FLOW(s_movrels_b32) {
	unsigned from;
	if (relative(w, in, mx_source(in, 0), 1, &from))
		mx_swrite_result(w, in, w->s[from], w->s_unwritten[from]);
}
FLOW(s_movrels_b64) {
	unsigned from;
	if (relative(w, in, mx_source(in, 0), 2, &from))
		mx_swrite_result(w, in, mx_pair(w->s + from), mx_pair(w->s_unwritten + from));
}
FLOW(s_movreld_b32) {
	unsigned to;
	if (relative(w, in, mx_result(in), 1, &to))
		mx_swrite(w, to, mx_sread(w, in, mx_source(in, 0)),
		          mx_sread_unwritten(w, mx_source(in, 0)));
}
FLOW(s_movreld_b64) {
	unsigned to;
	if (relative(w, in, mx_result(in), 2, &to))
		mx_swrite64(w, to, mx_sread64(w, in, mx_source(in, 0)),
		            mx_sread64_unwritten(w, mx_source(in, 0)));
}

/* Two indices in M0: of the source in bits 9:0, of the destination in bits 25:16 [RDNA4's manual].
 */
static uint32_t source_index(const struct mx_wave *w) {
	return w->s[MX_M0] & 0x3ff;
}
static uint32_t destination_index(const struct mx_wave *w) {
	return w->s[MX_M0] >> 16 & 0x3ff;
}

FLOW(s_movrelsd_2_b32) {
	unsigned from, to;
	if (indexed(w, in, mx_source(in, 0), 1, source_index(w), &from) &&
	    indexed(w, in, mx_result(in), 1, destination_index(w), &to))
		mx_swrite(w, to, w->s[from], w->s_unwritten[from]);
}

/* ---- vector moves of gfx1250: the number of a VGPR plus an index of M0 ---- */

static bool indexed_row(struct mx_wave *w, const struct mx_inst *in, unsigned code, uint32_t index,
                        unsigned *row) {
	uint64_t to = (uint64_t)mx_row(code) + index;
	if (w->s_unwritten[MX_M0])
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(NUMBER_UNWRITTEN));
	*row = to < MX_VGPR_FILE ? (unsigned)to : MX_VGPR_FILE - 1;
	return mx_vgprs_exist(w, in, *row, 1);
}

static bool relative_row(struct mx_wave *w, const struct mx_inst *in, unsigned code,
                         unsigned *row) {
	return indexed_row(w, in, code, w->s[MX_M0], row);
}

static void move_row(struct mx_wave *w, unsigned to, unsigned from) {
	mx_vreg unwritten;
	for (unsigned l = 0; l < MX_LANES; l++)
		unwritten[l] = mx_vunwritten(w, from, l);
	mx_vwrite(w, to, mx_exec(w), w->v[from], unwritten);
}

FLOW(v_movrels_b32) {
	unsigned from;
	if (relative_row(w, in, mx_source(in, 0), &from) &&
	    mx_vgprs_exist(w, in, mx_row_at(in, MX_AT_RESULT), 1))
		move_row(w, mx_row_at(in, MX_AT_RESULT), from);
}

FLOW(v_movreld_b32) {
	unsigned to, code = mx_source(in, 0);
	mx_vreg v, unwritten;
	if (!relative_row(w, in, mx_result(in), &to))
		return;
	if (code >= MX_VGPR) {
		if (mx_vgprs_exist(w, in, mx_row(code), 1))
			move_row(w, to, mx_row(code));
		return;
	}
	for (unsigned l = 0; l < MX_LANES; l++) {
		v[l] = mx_sread(w, in, code);
		unwritten[l] = mx_sread_unwritten(w, code);
	}
	mx_vwrite(w, to, mx_exec(w), v, unwritten);
}

FLOW(v_movrelsd_b32) {
	unsigned from, to;
	if (relative_row(w, in, mx_source(in, 0), &from) && relative_row(w, in, mx_result(in), &to))
		move_row(w, to, from);
}

static bool two_rows(struct mx_wave *w, const struct mx_inst *in, unsigned *from, unsigned *to) {
	return indexed_row(w, in, mx_source(in, 0), source_index(w), from) &&
	       indexed_row(w, in, mx_result(in), destination_index(w), to);
}

FLOW(v_movrelsd_2_b32) {
	unsigned from, to;
	if (two_rows(w, in, &from, &to))
		move_row(w, to, from);
}

FLOW(v_swaprel_b32) {
	unsigned from, to;
	mx_vreg v, unwritten;
	if (!two_rows(w, in, &from, &to))
		return;
	memcpy(v, w->v[to], sizeof v);
	for (unsigned l = 0; l < MX_LANES; l++)
		unwritten[l] = mx_vunwritten(w, to, l);
	move_row(w, to, from);
	mx_vwrite(w, from, mx_exec(w), v, unwritten);
}

/* ---- vector registers: M0 is { enables in 15:12, index in 7:0 } ---- */

enum { INDEX = 0xff, ENABLE_SHIFT = 12, ENABLES = 15 << ENABLE_SHIFT };

unsigned mx_gpr_index(const struct mx_wave *w, unsigned which) {
	uint32_t m0 = w->s[MX_M0];
	bool on = w->mode & MX_MODE_GPR_IDX_EN && m0 >> (ENABLE_SHIFT + which) & 1;
	return on ? m0 & INDEX : 0;
}

/* The third source of an instruction that reads its destination has the destination's index. */
unsigned mx_add_index(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned which) {
	bool old = which == 2 && in->op->flags & MX_READS_D;
	unsigned n = which == MX_VDST ? in->op->d : in->op->s[which];
	unsigned index = mx_gpr_index(w, old ? MX_VDST : which);
	if (!index)
		return row;
	unsigned end = row < 256 ? 256 : 512; /* VGPRs come first, then AGPRs */
	if (row + index + n > end || (n > 1 && index % 2)) {
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(VGPR_INDEX, row, index));
		return row;
	}
	return row + index;
}

static void set_m0(struct mx_wave *w, uint32_t mask, uint32_t value, uint32_t unwritten) {
	mx_swrite(w, MX_M0, (w->s[MX_M0] & ~mask) | (value & mask),
	          (w->s_unwritten[MX_M0] & ~mask) | (unwritten & mask));
}

static void set_index(struct mx_wave *w, const struct mx_inst *in) {
	uint32_t unwritten = mx_sread_unwritten(w, mx_source(in, 0));
	if (unwritten & INDEX)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(NUMBER_UNWRITTEN));
	set_m0(w, INDEX, mx_sread(w, in, mx_source(in, 0)), unwritten);
}

FLOW(s_set_gpr_idx_on) {
	set_index(w, in);
	set_m0(w, ENABLES, (uint32_t)in->imm << ENABLE_SHIFT, 0);
	w->mode |= MX_MODE_GPR_IDX_EN;
}
FLOW(s_set_gpr_idx_idx) {
	set_index(w, in);
}
FLOW(s_set_gpr_idx_mode) {
	set_m0(w, ENABLES, (uint32_t)in->imm << ENABLE_SHIFT, 0);
}
FLOW(s_set_gpr_idx_off) {
	(void)in;
	w->mode &= ~MX_MODE_GPR_IDX_EN;
}
