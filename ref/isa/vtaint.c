/* Which bits of a vector ALU result depend on bits that nobody wrote. */
#include <string.h>

#include "vector.h"

static void broadcast(mx_vreg d, uint32_t value) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = value;
}

void mx_fetch_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	const struct mx_op *op = in->op;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned h = 0; h < op->s[i]; h++) {
			unsigned code = in->src[i] + h;
			if (code >= MX_VGPR)
				for (unsigned l = 0; l < MX_LANES; l++)
					s->unwritten[i][h][l] = mx_vunwritten(w, mx_row(code), l);
			else
				broadcast(s->unwritten[i][h], mx_sread_unwritten(w, code));
			if (in->sdwa.used && i < 2)
				mx_select_sub_dword(in, i, s->unwritten[i][h], s->unwritten[i][h]);
			if (in->dpp.used && i == 0)
				mx_move_lanes(s, s->unwritten[0][0], s->unwritten[0][0]);
		}
		if (!in->plain && op->s[i])
			mx_choose_halves(in, i, s->unwritten[i]);
	}
}

/* Of a 16-bit source only the low half counts. */
static uint32_t source_unwritten(const struct mx_op *op, const struct mx_sources *s, unsigned i,
                                 unsigned l) {
	const struct mx_type_info *t = &mx_operand_types[op->source_type[i]];
	if (!op->s[i])
		return 0;
	if (t->bits == 16 && t->elements == 1)
		return s->unwritten[i][0][l] & 0xffff;
	return s->unwritten[i][0][l] | (op->s[i] > 1 ? s->unwritten[i][1][l] : 0);
}

uint64_t mx_tainted_lanes(const struct mx_op *op, const struct mx_sources *s, bool controls_only) {
	uint64_t lanes = s->mask_unwritten;
	for (unsigned i = 0; i < 3; i++)
		if (!controls_only || op->flags & MX_CONTROL0 << i)
			for (unsigned l = 0; l < MX_LANES; l++)
				lanes |= (uint64_t)(source_unwritten(op, s, i, l) != 0) << l;
	return lanes;
}

/* Where each result bit is a monotone function of source bits, a result bit depends on
 * the unwritten ones exactly if it changes when they go from all 0 to all 1. */
static void flip_unwritten(const struct mx_inst *in, const struct mx_sources *s, mx_vreg d[2]) {
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

/* Packed results: each half, or dword, depends on its own elements. */
static void packed_unwritten(const struct mx_op *op, const struct mx_sources *s, mx_vreg d[2]) {
	bool wide = mx_operand_types[op->type].bits == 32;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t u[2] = { 0, 0 };
		for (unsigned i = 0; i < 3 && op->s[i]; i++)
			for (unsigned e = 0; e < 2; e++)
				u[e] |= wide ? s->unwritten[i][e][l]
				             : s->unwritten[i][0][l] >> 16 * e & 0xffff;
		d[0][l] = wide ? (u[0] ? ~0u : 0) : (u[0] ? 0xffff : 0) | (u[1] ? 0xffff0000 : 0);
		d[1][l] = u[1] ? ~0u : 0;
	}
}

static bool is_packed(const struct mx_op *op) {
	bool packed = mx_operand_types[op->type].elements == 2 && !(op->flags & MX_OP_SEL);
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		packed &= mx_operand_types[op->source_type[i]].elements == 2;
	return packed;
}

void mx_result_unwritten(const struct mx_inst *in, const struct mx_sources *s, mx_vreg d[2]) {
	const struct mx_op *op = in->op;
	bool bitwise = op->flags & MX_BITWISE, half = mx_operand_types[op->type].bits == 16;
	if (is_packed(op)) {
		packed_unwritten(op, s, d);
		return;
	}
	uint64_t all = mx_tainted_lanes(op, s, bitwise);
	if (bitwise)
		flip_unwritten(in, s, d);
	else
		memset(d, 0, 2 * sizeof *d);
	for (unsigned h = 0; h < op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++) {
			if (all >> l & 1)
				d[h][l] = ~0u;
			if (half && mx_operand_types[op->type].elements == 1)
				d[h][l] &= 0xffff;
		}
}
