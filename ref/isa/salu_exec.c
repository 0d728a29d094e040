/* The scalar ALU: brings operands to the functions of salu.c, and results back [ISA chapter
 * 5]. */
#include "machine.h"
#include "salu.h"

/* Which bits of what a function reads nobody wrote, in the order of struct mx_scalars. */
struct unwritten {
	uint64_t a, b, d;
	bool scc;
};

static uint64_t read_operand(const struct mx_wave *w, const struct mx_inst *in, unsigned code,
                             unsigned dwords) {
	switch (dwords) {
	case 0: return 0;
	case 1: return mx_sread(w, in, code);
	default: return mx_sread64(w, in, code);
	}
}

static uint64_t operand_unwritten(const struct mx_wave *w, unsigned code, unsigned dwords) {
	switch (dwords) {
	case 0: return 0;
	case 1: return mx_sread_unwritten(w, code);
	default: return mx_sread64_unwritten(w, code);
	}
}

static void fetch(const struct mx_wave *w, const struct mx_inst *in, struct mx_scalars *x,
                  struct unwritten *u) {
	const struct mx_op *op = in->op;
	unsigned d = op->flags & MX_READS_D ? op->d : 0;
	x->a = read_operand(w, in, in->src[0], op->s[0]);
	x->b = op->encoding == MX_SOPK   ? (uint64_t)(int64_t)in->imm
	       : op->flags & MX_EXEC_OUT ? mx_exec(w)
	                                 : read_operand(w, in, in->src[1], op->s[1]);
	x->d = read_operand(w, in, in->dst, d);
	x->scc = w->scc;
	u->a = operand_unwritten(w, in->src[0], op->s[0]);
	u->b = operand_unwritten(w, in->src[1], op->s[1]);
	u->d = operand_unwritten(w, in->dst, d);
	u->scc = op->flags & MX_SCC_IN && w->scc_unwritten;
}

/* ---- what of the result nobody wrote ---- */

static uint64_t low_or_high(uint64_t value, uint64_t unwritten, bool high) {
	return high ? value | unwritten : value & ~unwritten;
}

/* Bits of S0 or S1 that say which bits go where: a shift amount, and a field's width. */
static uint64_t control_bits(const struct mx_op *op) {
	uint64_t amount = op->d == 2 || op->s[0] == 2 ? 63 : 31;
	return op->flags & MX_CONTROL2 ? amount | 127 << 16 : amount;
}

/* Each result bit depends on one bit of each source, or is a monotone function of several:
 * it depends on the unwritten ones exactly if it changes as they go, each source by
 * itself, from all 0 to all 1. */
static struct unwritten flip_unwritten(const struct mx_inst *in, const struct mx_scalars *x,
                                       const struct unwritten *u) {
	bool same = in->op->s[1] && in->src[0] == in->src[1];
	uint64_t ones = 0, zeros = 0;
	unsigned sccs = 0;
	for (unsigned k = 0; k < 16; k++) {
		bool b_high = same ? k & 1 : k >> 1 & 1;
		struct mx_scalars y = {
			.a = low_or_high(x->a, u->a, k & 1),
			.b = low_or_high(x->b, u->b, b_high),
			.d = low_or_high(x->d, u->d, k >> 2 & 1),
			.scc = u->scc ? k >> 3 : x->scc,
		};
		in->op->scalar(&y);
		ones |= y.d;
		zeros |= ~y.d;
		sccs |= 1u << y.scc;
	}
	return (struct unwritten){ .d = ones & zeros, .scc = sccs == 3 };
}

/* SCC says of a result that it is not zero: a written one is enough. */
static bool nonzero_unwritten(uint64_t value, uint64_t unwritten) {
	return unwritten && !(value & ~unwritten);
}

static struct unwritten result_unwritten(const struct mx_inst *in, const struct mx_scalars *x,
                                         const struct unwritten *u) {
	const struct unwritten all = { .d = ~0ull, .scc = true };
	uint32_t flags = in->op->flags;
	uint64_t control = control_bits(in->op);
	if (!(u->a | u->b | u->d | u->scc))
		return (struct unwritten){ 0 };
	if (!(flags & MX_BITWISE) || (flags & MX_CONTROL0 && u->a & control) ||
	    (flags & MX_CONTROL1 && u->b & control))
		return all;
	return flip_unwritten(in, x, u);
}

void mx_exec_salu(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	struct mx_scalars x, before;
	struct unwritten u;
	fetch(w, in, &x, &u);
	before = x;
	op->scalar(&x);
	u = result_unwritten(in, &before, &u);
	if (op->flags & MX_BITWISE && op->d)
		u.scc = nonzero_unwritten(x.d, u.d);
	if (op->flags & MX_EXEC_OUT) {
		mx_write_exec(w, in, x.d, u.d);
		x.d = x.b;
		u = (struct unwritten){ 0 };
	}
	mx_swrite_result(w, in, x.d, u.d);
	if (op->flags & MX_SCC_OUT) {
		w->scc = x.scc;
		w->scc_unwritten = u.scc;
	}
}
