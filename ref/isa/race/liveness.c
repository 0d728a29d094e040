/* Liveness, by a search along all paths.
 *
 * A write by lanes of EXEC overwrites a vector register if EXEC has lost no lanes on the path. An
 * instruction that adds lanes to EXEC is assumed to restore it, as at the end of compiled branches,
 * unless the search is strict. */
#include "liveness.h"

#include "../encoding/instruction_set.h"
#include "../encoding/operands.h"

enum { LONGEST = 1024 }; /* instructions of all paths */

struct place {
	uint32_t pc;
	unsigned banks;
	bool full; /* EXEC has at least the lanes that matter */
};

/* Worklist of places; the first `done` have been processed. */
struct search {
	const struct mx_program *p;
	unsigned row;
	struct place place[LONGEST];
	unsigned done, n;
	bool strict, unknown;
	uint64_t seen[16]; /* hashes */
};

static void go(struct search *s, uint32_t pc, unsigned banks, bool full) {
	uint64_t bit = 1ull << pc / 4 % 64, *seen = &s->seen[pc / 256 % 8 + 8 * full];
	for (unsigned i = 0; *seen & bit && i < s->n; i++)
		if (s->place[i].pc == pc && s->place[i].banks == banks && s->place[i].full == full)
			return;
	*seen |= bit;
	if (s->n == LONGEST)
		s->unknown = true;
	else
		s->place[s->n++] = (struct place){ pc, banks, full };
}

/* ---- one instruction ---- */

/* Whether a lane may keep its old value because the lane that it would take is off. */
static bool may_keep(const struct mx_inst *in) {
	enum { FI_OR_BOUND_CTRL = 3 };
	return in->dpp.used ||
	       (mx_kind_of(in->op) == MX_IS_PERMUTE && !(in->op_sel & FI_OR_BOUND_CTRL));
}

static bool is_partial(const struct mx_inst *in) {
	const uint64_t half = MX_D16 | MX_D16_HI | MX_KEEP_HALF | MX_HALF_UNKNOWN;
	return may_keep(in) || in->sdwa.used || in->op->flags & half ||
	       mx_kind_of(in->op) == MX_IS_BLOCK;
}

static bool overwrites(const struct search *s, const struct mx_inst *in, bool full) {
	if (is_partial(in))
		return false;
	MX_FOR_OPERANDS(o, in) {
		bool lanes = o->lanes == MX_LANES_ALL || (o->lanes == MX_LANES_OF_EXEC && full);
		if (o->written && mx_operand_has_row(o, s->row) && lanes)
			return true;
	}
	return false;
}

/* Whether EXEC has the lanes that matter after the instruction. */
static bool is_full(const struct search *s, const struct mx_inst *in, bool full) {
	unsigned dwords = mx_program_isa(s->p)->wave_size / 32;
	mx_kind kind = mx_kind_of(in->op);
	if (!mx_writes_row(in, MX_ROW_SCALAR + MX_EXEC))
		return full;
	bool all = kind == MX_IS_MOVE && in->op->d == dwords && mx_source(in, 0) == MX_INT_NEG_1;
	return (kind == MX_IS_OR && !s->strict) || all;
}

/* Whether the target of a jump, or a register, is not in the instruction. */
static bool is_unknown(const struct mx_inst *in) {
	switch (mx_kind_of(in->op)) {
	case MX_IS_SETPC:
	case MX_IS_CALL:
	case MX_IS_FORK:
	case MX_IS_JOIN:
	case MX_IS_GPR_INDEX:
	case MX_IS_SETVSKIP:
	case MX_IS_MOVREL: return true;
	default: return false;
	}
}

static void follow(struct search *s, const struct mx_inst *in, unsigned banks, bool full) {
	const struct mx_isa *isa = mx_program_isa(s->p);
	mx_kind kind = mx_kind_of(in->op);
	if (kind == MX_IS_END)
		return;
	if (isa->banks_set)
		banks = isa->banks_set(in, banks);
	if (kind != MX_IS_BRANCH)
		go(s, in->offset + in->size, banks, full);
	if (kind == MX_IS_BRANCH || kind == MX_IS_CBRANCH)
		go(s, in->offset + 4 + 4 * (uint32_t)in->imm, banks, full);
}

bool mx_is_live(const struct mx_program *p, uint32_t pc, unsigned banks, unsigned row, bool in_exec,
                bool strict) {
	struct search s = { .p = p, .row = row, .n = 0, .strict = strict };
	go(&s, pc, banks, in_exec);
	while (s.done < s.n && !s.unknown) {
		struct place at = s.place[s.done++];
		const struct mx_inst *in = mx_program_under(p, at.pc, at.banks);
		if (!in || !in->op || is_unknown(in) || mx_reads_row(in, row))
			return true;
		if (!overwrites(&s, in, at.full))
			follow(&s, in, at.banks, is_full(&s, in, at.full));
	}
	return s.unknown;
}
