/* Finds the loads by which a wave waits for another wave: a load in a short loop, from an invariant
 * address, and the loaded value decides whether the loop continues. Only another wave can end such
 * a loop. The scope of the load does not matter: atomic loads of workgroup scope compile to
 * ordinary loads [LLVM "Memory Model gfx942"].
 *
 * Compilers rotate loops, so the same load often stands before the loop as well: it decides whether
 * the loop is entered, and polls too.
 *
 * A returning atomic, as of a spin lock, is such a load if it is idempotent. A loop that also
 * changes other memory may be a counting loop. Its loads poll only if nothing else that varies from
 * round to round decides whether the loop continues. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../encoding/operands.h"
#include "race.h"
#include "wave_sync.h"

enum {
	LONGEST = 256, /* dwords of a loop */
	DEEPEST = 4,   /* instructions that compute an address */
	PATH = 8,      /* instructions that compute a condition */
	ENTRY = 64,    /* bytes before a loop that decide whether it is entered */
};

/* A loop: its first instruction, and the branch back to it, in bytes. */
struct loop {
	const struct mx_program *p;
	uint32_t from, to;
};

static const struct mx_inst *first(const struct loop *l) {
	return mx_program_at(l->p, l->from);
}

static const struct mx_inst *next(const struct loop *l, const struct mx_inst *in) {
	return in->offset >= l->to ? NULL : mx_program_at(l->p, in->offset + in->size);
}

static bool is_memory(const struct mx_op *op) {
	return op->encoding == MX_SMEM || op->encoding >= MX_DS;
}

static bool is_scratch(const struct mx_inst *in) {
	return in->op->encoding == MX_SCRATCH && !in->mem.lds;
}

static bool moves_lanes(const struct mx_op *op) {
	mx_kind kind = mx_kind_of(op);
	return kind == MX_IS_LANE_MOVE || kind == MX_IS_LDS_NOP;
}

static bool ends_loop(const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	return kind == MX_IS_BARRIER || kind == MX_IS_END || kind == MX_IS_SETPC ||
	       kind == MX_IS_CALL;
}

/* Whether the loop has no barrier, call or end. */
static bool is_plain(const struct loop *l) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (!in->op || ends_loop(in))
			return false;
	return true;
}

/* ---- addresses ---- */

static bool overlap(const struct mx_inst *a, const struct mx_inst *b) {
	int end_a = a->imm + (int)a->op->d, end_b = b->imm + (int)b->op->d;
	return a->imm < end_b && b->imm < end_a;
}

/* Whether the loop does not store to the scratch that this loads. */
static bool slot_is_invariant(const struct loop *l, const struct mx_inst *load) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (is_scratch(in) && in->op->flags & MX_STORE && overlap(in, load))
			return false;
	return true;
}

static bool operands_are_invariant(const struct loop *l, const struct mx_inst *in, unsigned depth);

static bool is_invariant(const struct loop *l, unsigned row, unsigned depth) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		if (!mx_writes_row(in, row))
			continue;
		bool reloads = is_scratch(in) && mx_kind_of(in->op) != MX_IS_BLOCK &&
		               slot_is_invariant(l, in);
		bool same = is_memory(in->op)
		                    ? reloads
		                    : depth < DEEPEST && operands_are_invariant(l, in, depth + 1);
		if (!same)
			return false;
	}
	return true;
}

/* The operands of an atomic include its data. */
static bool operands_are_invariant(const struct loop *l, const struct mx_inst *in, unsigned depth) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; !o->written && o->code != MX_SCC && k < o->dwords; k++)
			if (!is_invariant(l, mx_operand_row(o->code) + k, depth))
				return false;
	return true;
}

/* ---- what a loop depends on ---- */

struct reach {
	uint64_t row[MX_ROWS / 64];
};

static bool has(const struct reach *r, unsigned row) {
	return r->row[row / 64] >> row % 64 & 1;
}

static void mark(struct reach *r, const struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			unsigned row = mx_operand_row(o->code) + k;
			r->row[row / 64] |= 1ull << row % 64;
		}
}

static bool reads(const struct reach *r, const struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; !o->written && k < o->dwords; k++)
			if (has(r, mx_operand_row(o->code) + k))
				return true;
	return false;
}

/* Whether the value reaches a conditional branch, by registers. */
static bool reaches_branch(const struct loop *l, const struct mx_inst *load) {
	struct reach r = { 0 };
	mark(&r, load);
	for (unsigned again = 0; again < 2; again++)
		for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
			if (is_memory(in->op) || !reads(&r, in))
				continue;
			if (mx_kind_of(in->op) == MX_IS_CBRANCH)
				return true;
			mark(&r, in);
		}
	return false;
}

/* ---- loops that change memory ---- */

/* Whether it is a load, or an idempotent returning atomic, from an invariant address. */
static bool may_poll(const struct loop *l, const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool loads = op->rmw ? mx_rmw_is(op->rmw) & MX_IDEMPOTENT && mx_race_acquires(in)
	                     : op->flags & MX_LOAD && !(op->flags & MX_STORE) && !in->mem.lds;
	if (!is_memory(op) || is_scratch(in) || moves_lanes(op) || !loads)
		return false;
	return operands_are_invariant(l, in, 0);
}

static bool changes_memory(const struct loop *l, const struct mx_inst *in) {
	const struct mx_op *op = in->op;
	bool changes = op->rmw || op->flags & MX_STORE || in->mem.lds;
	return is_memory(op) && !is_scratch(in) && !moves_lanes(op) && changes && !may_poll(l, in);
}

/* Whether an instruction may collect masks of finished lanes in its own result. */
static bool accumulates_mask(const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	return kind == MX_IS_OR || kind == MX_IS_OR_NOT || kind == MX_IS_AND;
}

/* The instructions that compute a value. */
struct path {
	const struct mx_inst *in[PATH];
	unsigned n;
};

static bool is_on(const struct path *p, const struct mx_inst *in) {
	for (unsigned i = 0; i < p->n; i++)
		if (p->in[i] == in)
			return true;
	return false;
}

static bool follows_from_loads(const struct loop *l, const struct mx_inst *in, struct path *p);

/* Whether a register varies from round to round only by loads that may poll. */
static bool varies_by_polls_only(const struct loop *l, unsigned row, struct path *p) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		if (!mx_writes_row(in, row) || may_poll(l, in))
			continue;
		if (is_memory(in->op) ||
		    !(is_on(p, in) ? accumulates_mask(in) : follows_from_loads(l, in, p)))
			return false;
	}
	return true;
}

static bool follows_from_loads(const struct loop *l, const struct mx_inst *in, struct path *p) {
	bool follows = p->n < PATH;
	if (follows)
		p->in[p->n++] = in;
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; follows && !o->written && o->code != MX_SCC && k < o->dwords;
		     k++)
			follows = varies_by_polls_only(l, mx_operand_row(o->code) + k, p);
	p->n -= p->n && p->in[p->n - 1] == in;
	return follows;
}

/* The last scalar instruction before the branch, which is taken to set SCC. */
static const struct mx_inst *scc_before(const struct loop *l, const struct mx_inst *branch) {
	const struct mx_inst *last = NULL;
	for (const struct mx_inst *in = first(l); in && in != branch; in = next(l, in))
		if (in->op->encoding < MX_SMEM && in->op->encoding != MX_SOPP)
			last = in;
	return last;
}

static bool decided_by_polls(const struct loop *l, const struct mx_inst *branch) {
	struct path p = { .n = 0 };
	if (mx_reads_row(branch, MX_ROW_SCC)) {
		const struct mx_inst *in = scc_before(l, branch);
		return in && follows_from_loads(l, in, &p);
	}
	unsigned row = mx_reads_row(branch, MX_ROW_SCALAR + MX_VCC)    ? MX_ROW_SCALAR + MX_VCC
	               : mx_reads_row(branch, MX_ROW_SCALAR + MX_EXEC) ? MX_ROW_SCALAR + MX_EXEC
	                                                               : 0;
	return row && varies_by_polls_only(l, row, &p) && varies_by_polls_only(l, row + 1, &p);
}

/* Whether all branches depend only on loads that may poll. */
static bool all_branches_decided_by_polls(const struct loop *l) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (mx_kind_of(in->op) == MX_IS_CBRANCH && !decided_by_polls(l, in))
			return false;
	return true;
}

static bool same_address(const struct mx_inst *a, const struct mx_inst *b) {
	return a->op->encoding == b->op->encoding && mx_same_operand(a, b, MX_AT_ADDRESS) &&
	       mx_same_operand(a, b, MX_AT_BASE) && overlap(a, b);
}

/* Whether the loop itself stores to the address of the load. */
static bool stores_there(const struct loop *l, const struct mx_inst *load) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (in != load && changes_memory(l, in) && same_address(in, load))
			return true;
	return false;
}

/* ---- loops ---- */

/* Whether the code from an instruction to the loop accesses no memory, and may only skip the loop.
 */
static bool leads_to_loop(const struct loop *l, const struct mx_inst *in) {
	uint32_t at = in->offset + in->size;
	while (at < l->from) {
		in = mx_program_at(l->p, at);
		if (!in->op || is_memory(in->op) || ends_loop(in))
			return false;
		at += in->size;
	}
	return at == l->from;
}

/* Marks a load of the loop, and the same load before it. */
static void mark_load(const struct loop *l, const struct mx_inst *load, bool *polls) {
	polls[load->offset / 4] = true;
	for (uint32_t at = l->from > ENTRY ? l->from - ENTRY : 0; at < l->from; at += 4) {
		const struct mx_inst *in = mx_program_at(l->p, at);
		if (in->op == load->op && !memcmp(in->dwords, load->dwords, load->size) &&
		    leads_to_loop(l, in))
			polls[at / 4] = true;
	}
}

static void find_loads(const struct loop *l, bool *polls) {
	bool changes = false;
	for (const struct mx_inst *in = first(l); in && !changes; in = next(l, in))
		changes = changes_memory(l, in);
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		if (!may_poll(l, in) || !reaches_branch(l, in))
			continue;
		if (!changes || (!stores_there(l, in) && all_branches_decided_by_polls(l)))
			mark_load(l, in, polls);
	}
}

static bool is_branch(const struct mx_inst *in) {
	mx_kind kind = in->op ? mx_kind_of(in->op) : MX_IS_ORDINARY;
	return kind == MX_IS_BRANCH || kind == MX_IS_CBRANCH;
}

static void find_polls(const struct mx_program *p, const bool *reached, bool *polls) {
	for (uint32_t at = 0; at < 4 * mx_program_dwords(p); at += 4) {
		const struct mx_inst *in = reached[at / 4] ? mx_program_at(p, at) : NULL;
		struct loop l = { p, 0, at };
		if (!in || !is_branch(in) || (int16_t)in->imm >= -1 || (int16_t)in->imm < -LONGEST)
			continue;
		l.from = at + 4 + 4 * (uint32_t)(int16_t)in->imm;
		if (l.from < at && is_plain(&l))
			find_loads(&l, polls);
	}
}

/* ---- the code of a kernel ---- */

/* Marks the loads that are verified. */
static bool mark_verified(const struct mx_program *p, uint64_t entry, bool *verified) {
	struct mx_graph g;
	if (!mx_program_at(p, entry))
		return true;
	if (!mx_graph_make(p, (uint32_t)entry, (uint32_t)(4 * mx_program_dwords(p)), &g))
		return false;
	bool ok = mx_find_verified_loads(&g, verified);
	mx_graph_free(&g);
	return ok;
}

static bool awaits_cluster(const struct mx_inst *in) {
	enum { CLUSTER = -3 };
	return in->op && in->op->id == MX_OP_s_barrier_wait && in->imm == CLUSTER;
}

static bool find_wave_sync(const struct mx_program *p, uint64_t entry, struct mx_wave_sync *m,
                           bool *verified) {
	const bool *reached = mx_program_reached(p, entry);
	bool ok = reached && mark_verified(p, entry, verified);
	if (ok)
		find_polls(p, reached, m->polls);
	for (size_t i = 0; ok && i < mx_program_dwords(p); i++) {
		m->any_polls |= m->polls[i];
		m->flags |=
			m->polls[i] || (reached[i] && mx_race_acquires(mx_program_at(p, 4 * i)));
		m->any |= m->flags || (reached[i] && awaits_cluster(mx_program_at(p, 4 * i)));
	}
	return ok;
}

static void *make_wave_sync(const struct mx_program *p, uint64_t entry) {
	size_t n = mx_program_dwords(p) + 1;
	struct mx_wave_sync *m = calloc(1, sizeof *m + 2 * n);
	if (m)
		m->verified = m->polls + n;
	if (m && find_wave_sync(p, entry, m, m->polls + n))
		return m;
	free(m);
	return NULL;
}

const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry) {
	return mx_program_derived(p, make_wave_sync, entry);
}
