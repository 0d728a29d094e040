/* Which bits of a vector ALU result depend on bits that nobody wrote. */
#include <string.h>

#include "vector.h"

static void broadcast(mx_vreg d, uint32_t value) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = value;
}

static void fetch_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                            unsigned i, unsigned h) {
	uint32_t *u = s->unwritten[i][h];
	unsigned code = in->src[i];
	if (code >= MX_VGPR)
		for (unsigned l = 0; l < MX_LANES; l++)
			u[l] = mx_vunwritten(w, s->row[i] + h, l);
	else
		broadcast(u, code < MX_LITERAL ? mx_sread_unwritten(w, code + h) : 0);
	if (in->sdwa.used && i < 2)
		mx_select_sub_dword(in, i, u, u);
	if (in->dpp.used && i == 0)
		mx_move_lanes(s, u, u);
}

void mx_fetch_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s) {
	const struct mx_op *op = in->op;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned h = 0; h < op->s[i]; h++)
			fetch_unwritten(w, in, s, i, h);
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
	uint32_t u = 0;
	for (unsigned h = 0; h < op->s[i]; h++)
		u |= s->unwritten[i][h][l];
	return u;
}

uint64_t mx_tainted_lanes(const struct mx_op *op, const struct mx_sources *s, bool controls_only) {
	uint64_t lanes = s->mask_unwritten;
	for (unsigned i = 0; i < 3; i++)
		if (!controls_only || op->flags & MX_CONTROL0 << i)
			for (unsigned l = 0; l < MX_LANES; l++)
				lanes |= (uint64_t)(source_unwritten(op, s, i, l) != 0) << l;
	return lanes;
}

/* The result where the unwritten bits of some sources are ones, of the others zeros. */
static void assume(const struct mx_inst *in, const struct mx_sources *s, unsigned ones,
                   mx_vreg *d) {
	struct mx_lanes x = s->x;
	mx_vreg v[3][MX_VALU_DWORDS];
	for (unsigned i = 0; i < 3 && in->op->s[i]; i++) {
		for (unsigned h = 0; h < in->op->s[i]; h++)
			for (unsigned l = 0; l < MX_LANES; l++) {
				uint32_t u = s->unwritten[i][h][l], known = s->x.s[i][h][l] & ~u;
				v[i][h][l] = ones >> i & 1 ? known | u : known;
			}
		x.s[i] = (const uint32_t(*)[MX_LANES])v[i];
	}
	in->op->lanes(&x);
	memcpy(d, x.d, in->op->d * sizeof *d);
}

/* Sources that are surely the same bits, as the first of them. */
static unsigned same_as(const struct mx_inst *in, unsigned i) {
	for (unsigned k = 0; k < i; k++)
		if (in->plain && in->src[k] == in->src[i])
			return k;
	return i;
}

/* A result bit depends on the unwritten ones exactly if it changes with them. For monotone
 * functions all 0 and all 1 tell; where bits depend on bits at their own place, each
 * source's bits are 0 or 1 apart from the others'. */
static void flip_unwritten(const struct mx_inst *in, const struct mx_sources *s, mx_vreg *d) {
	mx_vreg none[MX_VALU_DWORDS], some[MX_VALU_DWORDS];
	bool apart = in->op->flags & MX_POSITIONAL;
	assume(in, s, 0, none);
	memset(d, 0, in->op->d * sizeof *d);
	for (unsigned k = apart ? 1 : 7; k < 8; k++) {
		unsigned ones = 0;
		for (unsigned i = 0; i < 3; i++)
			ones |= (k >> same_as(in, i) & 1) << i;
		assume(in, s, ones, some);
		for (unsigned h = 0; h < in->op->d; h++)
			for (unsigned l = 0; l < MX_LANES; l++)
				d[h][l] |= none[h][l] ^ some[h][l];
	}
}

/* Packed results: each half, or dword, depends on its own elements. */
static void packed_unwritten(const struct mx_op *op, const struct mx_sources *s, mx_vreg *d) {
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

/* From the lowest unwritten bit of any source up, as carries go; 16-bit halves apart. */
static void carry_unwritten(const struct mx_op *op, const struct mx_sources *s, mx_vreg *d) {
	const struct mx_type_info *t = &mx_operand_types[op->type];
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint64_t u = 0, low;
		for (unsigned i = 0; i < 3 && op->s[i]; i++) {
			bool half =
				mx_operand_types[op->source_type[i]].bits == 16 && t->elements == 1;
			uint32_t first = s->unwritten[i][0][l];
			u |= half ? first & 0xffff : first;
			u |= op->s[i] > 1 ? (uint64_t)s->unwritten[i][1][l] << 32 : 0;
		}
		low = t->elements == 2 ? u & 0xffff : u;
		low = -(low & -low);
		if (t->elements == 2) {
			uint64_t high = u & 0xffff0000;
			low = (low & 0xffff) | -(high & -high);
		}
		d[0][l] = (uint32_t)low;
		d[1][l] = (uint32_t)(low >> 32);
	}
}

static bool is_packed(const struct mx_op *op) {
	bool packed = mx_operand_types[op->type].elements == 2 && !(op->flags & MX_OP_SEL);
	for (unsigned i = 0; i < 3 && op->s[i]; i++)
		packed &= mx_operand_types[op->source_type[i]].elements == 2;
	return packed;
}

void mx_result_unwritten(const struct mx_inst *in, const struct mx_sources *s, mx_vreg *d) {
	const struct mx_op *op = in->op;
	bool bitwise = op->flags & (MX_BITWISE | MX_POSITIONAL);
	bool half = mx_operand_types[op->type].bits == 16;
	bool upward = op->flags & MX_UPWARD && !in->clamp;
	if (is_packed(op) && !bitwise && !upward) {
		packed_unwritten(op, s, d);
		return;
	}
	uint64_t all = mx_tainted_lanes(op, s, bitwise || upward);
	if (upward)
		carry_unwritten(op, s, d);
	else if (bitwise)
		flip_unwritten(in, s, d);
	else
		memset(d, 0, op->d * sizeof *d);
	for (unsigned h = 0; h < op->d; h++)
		for (unsigned l = 0; l < MX_LANES; l++) {
			if (all >> l & 1)
				d[h][l] = ~0u;
			if (half && mx_operand_types[op->type].elements == 1)
				d[h][l] &= 0xffff;
		}
}
