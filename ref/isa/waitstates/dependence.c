/* Dependences of expert scheduling mode: what is in flight, and what an instruction overtakes. */
#include <stdlib.h>

#include "../../mma/wmma.h"
#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"
#include "../machine/findings.h"
#include "dependence.h"

/* Counts of s_wait_alu at which it waits for nothing. */
enum { NO_VA_VDST = 15, NO_VM_VSRC = 7 };

static void *find_setreg(const struct mx_program *p, uint64_t entry) {
	bool *found = calloc(1, sizeof *found);
	(void)entry;
	for (size_t i = 0; found && i < mx_program_dwords(p); i++) {
		const struct mx_inst *in = mx_program_at(p, 4 * i);
		*found |= in->op && mx_kind_of(in->op) == MX_IS_SETREG &&
		          mx_hw_field(in).reg == mx_program_isa(p)->sched_mode;
	}
	return found;
}

bool mx_uses_expert_mode(const struct mx_program *p) {
	if (!mx_program_isa(p)->sched_mode)
		return false;
	const bool *found = mx_program_derived(p, find_setreg, 0);
	return !found || *found;
}

size_t mx_dependences_size(const struct mx_isa *isa) {
	return sizeof(struct mx_dependences) + isa->vgprs * sizeof(struct mx_pipe_use[MX_PIPES]);
}

void mx_dependences_forget(struct mx_dependences *d) {
	for (unsigned p = 0; p < MX_PIPES; p++)
		d->over[p] = d->issued[p];
}

/* The numbers begin at one from which any age can be subtracted. */
void mx_dependences_start(struct mx_dependences *d) {
	for (unsigned p = 0; p < MX_PIPES; p++)
		d->issued[p] = 1ull << 32;
	mx_dependences_forget(d);
}

/* ---- pipes ---- */

static mx_pipe valu_pipe(const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	if (mx_is_matrix(in->op))
		return in->mai.wmma->ab[MX_SIDE_A] == MX_T_F32 ? MX_PIPE_VALU : MX_PIPE_XDL;
	if (kind == MX_IS_DOT)
		return MX_PIPE_XDL;
	if (kind == MX_IS_TRANS)
		return MX_PIPE_TRANS;
	return MX_PIPE_VALU;
}

static bool has_scales(const struct mx_inst *in) {
	return mx_is_matrix(in->op) && mx_has_operand(in, MX_AT_SCALE_A);
}

/* MX_PIPES: none. */
static mx_pipe pipe_of(const struct mx_inst *in) {
	if (!in->op || in->op->encoding <= MX_SMEM)
		return MX_PIPES;
	if (in->op->encoding < MX_DS)
		return valu_pipe(in);
	return in->op->encoding == MX_DS ? MX_PIPE_LDS : MX_PIPE_VMEM;
}

/* ---- waits ---- */

static void wait_for(struct mx_dependences *d, unsigned first, unsigned end, unsigned n) {
	for (unsigned p = first; p < end; p++)
		if (d->issued[p] > d->over[p] + n)
			d->over[p] = d->issued[p] - n;
}

/* The least of the counts of loads, stores and LDS for which a wait waits. */
static unsigned memory_count(const struct mx_isa *isa, mx_counts wait) {
	unsigned least = ~0u;
	for (unsigned i = 0; i < isa->n_streams; i++) {
		const struct mx_isa_stream *s = &isa->stream[i];
		unsigned n = mx_count(wait, s->counter);
		if ((s->path == MX_PATH_MEMORY || s->path == MX_PATH_LDS) &&
		    n < isa->counter[s->counter].most && n < least)
			least = n;
	}
	return least;
}

static void follow_wait(const struct mx_isa *isa, struct mx_dependences *d,
                        const struct mx_inst *in) {
	unsigned vdst = (unsigned)in->imm >> 12 & 15, vsrc = (unsigned)in->imm >> 2 & 7;
	if (in->op->id == MX_OP_s_wait_idle)
		mx_dependences_forget(d);
	else if (in->op->id != MX_OP_s_wait_alu)
		wait_for(d, MX_VALU_PIPES, MX_PIPES, memory_count(isa, in->wait));
	else {
		if (vdst != NO_VA_VDST)
			wait_for(d, 0, MX_VALU_PIPES, vdst);
		if (vsrc != NO_VM_VSRC)
			wait_for(d, MX_VALU_PIPES, MX_PIPES, vsrc);
	}
}

/* ---- what is in flight ---- */

/* The vector ALU writes its results in order, so its last write of a register covers the others. */
static void note_use(struct mx_dependences *d, const struct mx_inst *in, mx_pipe pipe,
                     const struct mx_operand *o) {
	bool valu = pipe < MX_VALU_PIPES;
	unsigned row = mx_operand_row(o->code);
	if (o->code < MX_VGPR || o->written != valu)
		return;
	for (unsigned r = row; r < row + o->dwords; r++) {
		for (unsigned p = 0; valu && p < MX_VALU_PIPES; p++)
			d->use[r][p].nth = 0;
		d->use[r][pipe] = (struct mx_pipe_use){ in, d->issued[pipe] };
	}
}

void mx_dependences_issue(const struct mx_isa *isa, struct mx_dependences *d,
                          const struct mx_inst *in) {
	mx_pipe pipe = pipe_of(in);
	if (!in->op)
		return;
	if (mx_kind_of(in->op) == MX_IS_WAITCNT || in->op->id == MX_OP_s_wait_alu)
		follow_wait(isa, d, in);
	if (pipe == MX_PIPES)
		return;
	d->issued[pipe] += 1 + has_scales(in);
	MX_FOR_OPERANDS(o, in)
		note_use(d, in, pipe, o);
}

/* A use of `from` has the same age in `to`. */
static bool merge_use(struct mx_dependences *to, const struct mx_dependences *from, unsigned r,
                      unsigned p) {
	const struct mx_pipe_use *u = &from->use[r][p];
	uint64_t age = from->issued[p] - u->nth;
	if (u->nth <= from->over[p] ||
	    (to->use[r][p].nth && to->issued[p] - to->use[r][p].nth <= age))
		return false;
	to->use[r][p] = (struct mx_pipe_use){ u->in, to->issued[p] - age };
	return true;
}

/* Afterwards all uses of `to` are in flight. */
bool mx_dependences_merge(const struct mx_isa *isa, struct mx_dependences *to,
                          const struct mx_dependences *from) {
	bool changed = from->expert > to->expert;
	to->expert |= from->expert;
	for (unsigned p = 0; p < MX_PIPES; p++) {
		for (unsigned r = 0; r < isa->vgprs; r++)
			if (to->use[r][p].nth <= to->over[p])
				to->use[r][p].nth = 0;
		to->over[p] = 0;
		for (unsigned r = 0; r < isa->vgprs; r++)
			changed |= merge_use(to, from, r, p);
	}
	return changed;
}

/* ---- what is missing ---- */

struct overtaken {
	const struct mx_inst *in; /* NULL: nothing */
	uint64_t younger;         /* in its pipe */
	bool written;             /* by the instruction that overtakes */
};

/* Keeps the youngest use of the operand. */
static void look_at(const struct mx_dependences *d, const struct mx_operand *o, unsigned first,
                    unsigned end, struct overtaken *x) {
	unsigned row = mx_operand_row(o->code);
	for (unsigned r = row; r < row + o->dwords; r++)
		for (unsigned p = first; p < end; p++) {
			const struct mx_pipe_use *u = &d->use[r][p];
			uint64_t younger = d->issued[p] - u->nth;
			if (u->nth > d->over[p] && (!x->in || younger < x->younger))
				*x = (struct overtaken){ u->in, younger, o->written };
		}
}

static struct mx_finding finding(const struct mx_inst *in, const struct overtaken *x, bool source) {
	unsigned most = source ? NO_VM_VSRC - 1 : NO_VA_VDST - 1;
	const char *does = source       ? "overwrites a source of"
	                   : x->written ? "overwrites the result of"
	                                : "reads the result of";
	return (struct mx_finding){
		.kind = MX_WAIT_STATES,
		.lane = -1,
		.code = mx_inst_dwords_of(in),
		.earlier_code = mx_inst_dwords_of(x->in),
		.hazard = { .severity = MX_HAZARD_FINDING,
		            .does = does,
		            .how = "",
		            .source = "LLVM" },
		.missing = { .kind = source ? MX_MISSING_VM_VSRC : MX_MISSING_VA_VDST,
		             .count = x->younger < most ? (uint32_t)x->younger : most },
	};
}

bool mx_dependence_missing(struct mx_dependences *d, const struct mx_inst *in,
                           const struct mx_inst **earlier, struct mx_finding *f) {
	struct overtaken result = { 0 }, source = { 0 };
	bool valu = pipe_of(in) < MX_VALU_PIPES;
	if (pipe_of(in) == MX_PIPES)
		return false;
	MX_FOR_OPERANDS(o, in) {
		if (o->code >= MX_VGPR && !valu)
			look_at(d, o, 0, MX_VALU_PIPES, &result);
		if (o->code >= MX_VGPR && o->written)
			look_at(d, o, MX_VALU_PIPES, MX_PIPES, &source);
	}
	const struct overtaken *x = result.in ? &result : &source;
	if (!x->in)
		return false;
	*earlier = x->in;
	*f = finding(in, x, x == &source);
	wait_for(d, x == &source ? MX_VALU_PIPES : 0, x == &source ? MX_PIPES : MX_VALU_PIPES,
	         f->missing.count);
	return true;
}
