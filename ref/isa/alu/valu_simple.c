/* The shorter way of the vector ALU: most instructions, those that are simple (mx_inst.simple) and
 * have written sources. Most of it copies registers, by the widest instructions of the CPU. */
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "functions.h"
#include "vector.h"

enum { DWORDS = 2 /* of the widest operand */ };

struct operands {
	struct mx_lanes x;
	_Alignas(64) mx_vreg copy[3][DWORDS]; /* of scalars */
};

/* A register or constant in all lanes; returns its unwritten bits. */
static uint64_t spread_scalar(struct mx_wave *w, const struct mx_inst *in, unsigned i,
                              mx_vreg *copy) {
	unsigned code = mx_source(in, i), n = in->op->s[i];
	uint64_t unwritten = mx_sread_unwritten(w, code);
	if (n == 1 && code <= MX_INT_NEG_16) {
		mx_broadcast(copy[0], mx_sread(w, in, code));
		return unwritten;
	}
	uint64_t value = mx_scalar_source(w, in, i);
	for (unsigned h = 0; h < n; h++)
		mx_broadcast(copy[h], (uint32_t)(value >> 32 * h));
	return n > 1 ? unwritten | mx_sread_unwritten(w, code + 1) : unwritten;
}

/* False if sources have unwritten bits or are not allocated. */
static bool fetch(struct mx_wave *w, const struct mx_inst *in, struct operands *o) {
	const struct mx_op *op = in->op;
	uint64_t unwritten = 0;
	o->x.mask_in = o->x.mask_out = o->x.assumed = 0;
	for (unsigned i = 0; i < 3 && op->s[i]; i++) {
		unsigned code = mx_source(in, i), row = mx_row(code), n = op->s[i];
		bool vector = code >= MX_VGPR;
		if (vector && !mx_vgpr_is_allocated(w, row, n))
			return false;
		o->x.s[i] = (const uint32_t(*)[MX_LANES])(vector ? w->v + row : o->copy[i]);
		if (vector)
			unwritten |= w->unwritten_lanes[row] | w->unwritten_lanes[row + n - 1];
		else
			unwritten |= spread_scalar(w, in, i, o->copy[i]);
	}
	if (op->flags & MX_CARRY_IN) {
		o->x.mask_in = mx_sread64(w, in, mx_source(in, 2));
		unwritten |= mx_sread64_unwritten(w, mx_source(in, 2)) & w->lanes;
	}
	mx_fetch_fields(w, in, &o->x);
	return !unwritten;
}

mx_simple_way MX_STEPPED(mx_exec_simple);
bool MX_STEPPED(mx_exec_simple)(struct mx_wave *w, const struct mx_inst *in) {
	unsigned row = mx_row(mx_result(in)), n = in->op->d;
	uint64_t exec = mx_exec(w);
	struct operands o;
	if (w->group->run->launch->lane_by_lane || !mx_mode_is_usual(w->mode) ||
	    w->mode & MX_MODE_GPR_IDX_EN || !mx_vgpr_is_allocated(w, row, n) || !fetch(w, in, &o))
		return false;
	MX_STEPPED(mx_lane_table)[in->op->id](&o.x);
	if (o.x.assumed & exec)
		mx_assume(w, in, o.x.assumed & exec, o.x.rule);
	if (in->op->flags & MX_CARRY_OUT)
		mx_write_result_mask(w, mx_operand_at(in, MX_AT_MASK), o.x.mask_out, 0);
	for (unsigned h = 0; h < n; h++)
		mx_vwrite(w, row + h, exec, o.x.d[h], NULL);
	return true;
}
