/* The scalar ALU: reads operands, calls the functions of salu.c and writes results [ISA chapter
 * 5]. */
#include "../machine/registers.h"
#include "functions.h"
#include "../uninit/sums.h"
#include "salu.h"

/* Sources in the order of struct mx_scalars. */
enum { SOURCE_A, SOURCE_B, SOURCE_D, SOURCE_SCC };

/* The unwritten bits of a result. */
struct result_unwritten {
	uint64_t d;
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

static uint64_t immediate(const struct mx_inst *in) {
	return in->op->flags & MX_SIGNED ? (uint64_t)(int64_t)in->imm : (uint16_t)in->imm;
}

/* The bits of source i that the opcode reads: of a source that selects bits, the amount and the
 * field's width. */
static uint64_t uses(const struct mx_op *op, unsigned i) {
	uint64_t amount = op->d == 2 || op->s[0] == 2 ? 63 : 31;
	if (!(op->flags & MX_CONTROL0 << i))
		return ~0ull;
	return op->flags & MX_CONTROL2 ? amount | 127 << 16 : amount;
}

static void fetch(const struct mx_wave *w, const struct mx_inst *in, struct mx_scalars *x) {
	const struct mx_op *op = in->op;
	unsigned d = op->flags & MX_READS_D ? op->d : 0;
	x->a = read_operand(w, in, mx_source(in, 0), op->s[0]);
	x->b = op->encoding == MX_SOPK   ? immediate(in)
	       : op->flags & MX_EXEC_OUT ? mx_exec(w)
	                                 : read_operand(w, in, mx_source(in, 1), op->s[1]);
	x->d = read_operand(w, in, mx_result(in), d);
	x->scc = w->scc;
}

/* Whether sources have unwritten bits. */
static bool fetch_unwritten(const struct mx_wave *w, const struct mx_inst *in,
                            struct mx_unwritten *u) {
	const struct mx_op *op = in->op;
	unsigned d = op->flags & MX_READS_D ? op->d : 0;
	u->of[SOURCE_A] = operand_unwritten(w, mx_source(in, 0), op->s[0]);
	u->of[SOURCE_B] = operand_unwritten(w, mx_source(in, 1), op->s[1]);
	u->of[SOURCE_D] = operand_unwritten(w, mx_result(in), d);
	u->of[SOURCE_SCC] = op->flags & MX_SCC_IN && w->scc_unwritten;
	if (!(u->of[0] | u->of[1] | u->of[2] | u->of[3]))
		return false;
	u->of[SOURCE_A] &= uses(op, 0);
	u->of[SOURCE_B] &= uses(op, 1);
	return u->of[0] | u->of[1] | u->of[2] | u->of[3];
}

/* ---- unwritten bits of the result: the trials of taint.h ---- */

static struct mx_source_shape shape_of(const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool same = op->s[1] && op->s[0] == op->s[1] && mx_source(in, 0) == mx_source(in, 1);
	return (struct mx_source_shape){ { op->s[0] > 1 ? 64 : 32, op->s[1] > 1 ? 64 : 32, 64 },
		                         { 0, same ? 0 : 1, 2 } };
}

static void flip(struct mx_scalars *x, const struct mx_variable *v) {
	x->a ^= v->sources >> SOURCE_A & 1 ? v->bits : 0;
	x->b ^= v->sources >> SOURCE_B & 1 ? v->bits : 0;
	x->d ^= v->sources >> SOURCE_D & 1 ? v->bits : 0;
	x->scc ^= v->sources >> SOURCE_SCC & 1;
}

static struct mx_scalars zeros_in(const struct mx_scalars *x, const struct mx_unwritten *u) {
	return (struct mx_scalars){ x->a & ~u->of[SOURCE_A], x->b & ~u->of[SOURCE_B],
		                    x->d & ~u->of[SOURCE_D], x->scc && !u->of[SOURCE_SCC] };
}

static struct result_unwritten differences(const struct mx_op *op, struct mx_scalars x,
                                           const struct mx_trials *t) {
	struct mx_scalars first = x, y;
	struct result_unwritten differ = { 0 };
	mx_scalar_functions[op->id](&first);
	for (unsigned step = 1; step <= t->steps; step++) {
		flip(&x, mx_trial_step(t, step));
		y = x;
		mx_scalar_functions[op->id](&y);
		differ.d |= y.d ^ first.d;
		differ.scc |= y.scc != first.scc;
	}
	return differ;
}

static uint64_t sum_unwritten(mx_sum *sum, const struct mx_source_shape *shape,
                              const struct mx_scalars *known, const struct mx_unwritten *u) {
	const struct mx_known s[MX_TAINT_SOURCES] = {
		{ known->a, u->of[SOURCE_A], 1 },
		{ known->b, u->of[SOURCE_B], 1 + shape->same_as[1] },
		{ known->d, u->of[SOURCE_D], 3 },
		{ known->scc, u->of[SOURCE_SCC], 4 },
	};
	return sum(s).unwritten;
}

/* SCC is set if the result is not zero: one written bit that is set decides it. */
static bool nonzero_unwritten(uint64_t value, uint64_t unwritten) {
	return unwritten && !(value & ~unwritten);
}

/* Whether the written bits of two sources decide if they are equal. */
static bool decides_equality(const struct mx_op *op, const struct mx_source_shape *shape,
                             uint64_t differ, uint64_t undecided) {
	uint64_t size = op->s[0] > 1 ? ~0ull : 0xffffffff;
	return shape->same_as[1] == 0 || differ & ~undecided & size;
}

static struct result_unwritten result_unwritten(const struct mx_inst *in,
                                                const struct mx_scalars *x, uint64_t d,
                                                const struct mx_unwritten *u) {
	const struct mx_op *op = in->op;
	const struct mx_source_shape shape = shape_of(in);
	const struct mx_scalars known = zeros_in(x, u);
	uint64_t undecided = u->of[SOURCE_A] | u->of[SOURCE_B], differ = known.a ^ known.b;
	struct mx_trials trials;
	mx_taint_kind kind = mx_plan_trials(op->flags, &shape, u, &trials);
	mx_sum *sum = kind == MX_TAINT_ALL ? NULL : mx_sum_of(op);
	struct result_unwritten r = differences(op, known, &trials);
	if (kind == MX_TAINT_UNKNOWN) {
		r.d = ~0ull;
		r.scc = !(op->flags & MX_EQUALS && decides_equality(op, &shape, differ, undecided));
	} else if (kind == MX_TAINT_ORDERED)
		r.d = mx_smear_down(r.d, 64) &
		      (op->flags & MX_CHOOSES ? undecided | differ : ~0ull);
	else if (kind == MX_TAINT_BITWISE && op->d)
		r.scc = nonzero_unwritten(d, r.d);
	if (sum)
		r.d = sum_unwritten(sum, &shape, &known, u);
	return r;
}

void mx_exec_salu(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	struct mx_scalars x, before;
	struct mx_unwritten u;
	struct result_unwritten r = { 0 };
	fetch(w, in, &x);
	before = x;
	mx_scalar_functions[op->id](&x);
	if (fetch_unwritten(w, in, &u))
		r = result_unwritten(in, &before, x.d, &u);
	if (op->flags & MX_EXEC_OUT) {
		mx_write_exec(w, in, x.d, r.d);
		x.d = x.b;
		r = (struct result_unwritten){ 0 };
	}
	mx_swrite_result(w, in, x.d, r.d);
	if (op->flags & MX_SCC_OUT) {
		w->scc = x.scc;
		w->scc_unwritten = r.scc;
	}
}
