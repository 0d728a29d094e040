/* Finds the plain loads that a compare-and-swap verifies. Compilers make such a loop of an atomic
 * that the hardware lacks [LLVM AtomicExpandPass]:
 *
 *   load seen
 *   do { old = seen; seen = cmpswap(address, old, f(old)); } while (seen != old)
 *
 * An old value that another wave has changed since only costs a round, so the load is no race with
 * atomics. A load is verified if on every path its value reaches nothing but registers until a
 * compare-and-swap of the same address compares memory with it. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../encoding/operands.h"
#include "wave_sync.h"

enum {
	LONGEST = 256, /* instructions between the load and its compare-and-swap */
	COPIES = 8,    /* registers that hold the value */
	NOT_REACHED = -1
};

/* What holds at an instruction. */
struct state {
	uint64_t derived[MX_ROWS / 64]; /* registers computed from the value */
	struct {
		uint16_t row;
		uint8_t dword;
	} copy[COPIES]; /* registers that hold a dword of it */
	unsigned n_copies;
	bool moved; /* a register of the address has changed */
};

struct search {
	const struct mx_graph *g;
	const struct mx_inst *load;
	int *slot; /* of each node in `at`, or NOT_REACHED */
	struct state at[LONGEST];
	int node[LONGEST], queue[LONGEST];
	bool queued[LONGEST];
	unsigned n, n_queue;
};

/* ---- registers ---- */

static bool is_derived(const struct state *s, unsigned row) {
	return s->derived[row / 64] >> row % 64 & 1;
}

static int copied_dword(const struct state *s, unsigned row) {
	for (unsigned i = 0; i < s->n_copies; i++)
		if (s->copy[i].row == row)
			return s->copy[i].dword;
	return -1;
}

static void drop_copy(struct state *s, unsigned row) {
	for (unsigned i = 0; i < s->n_copies; i++)
		if (s->copy[i].row == row) {
			s->copy[i] = s->copy[--s->n_copies];
			return;
		}
}

static void add_copy(struct state *s, unsigned row, unsigned dword) {
	if (s->n_copies == COPIES)
		return;
	s->copy[s->n_copies].row = (uint16_t)row;
	s->copy[s->n_copies++].dword = (uint8_t)dword;
}

static bool reads_derived(const struct state *s, const struct mx_inst *in) {
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; !o->written && k < o->dwords; k++)
			if (is_derived(s, mx_operand_row(o->code) + k))
				return true;
	return false;
}

/* A vector register that is written keeps the value in lanes that are off. */
static void write(struct state *s, unsigned row, bool derived) {
	drop_copy(s, row);
	if (derived)
		s->derived[row / 64] |= 1ull << row % 64;
	else if (row >= MX_ROW_SCALAR)
		s->derived[row / 64] &= ~(1ull << row % 64);
}

static bool in_address(const struct mx_inst *load, unsigned row) {
	MX_FOR_OPERANDS(o, load)
		if (!o->written && mx_operand_has_row(o, row))
			return true;
	return false;
}

static void write_all(struct search *q, struct state *s, const struct mx_inst *in) {
	bool derived = reads_derived(s, in), moves = in->op->id == MX_OP_v_mov_b32;
	bool plain = moves && in->plain && mx_source(in, 0) >= MX_VGPR;
	int dword = plain ? copied_dword(s, mx_operand_row(mx_source(in, 0))) : -1;
	MX_FOR_OPERANDS(o, in)
		for (unsigned k = 0; o->written && k < o->dwords; k++) {
			unsigned row = mx_operand_row(o->code) + k;
			write(s, row, derived);
			s->moved |= in_address(q->load, row);
		}
	if (dword >= 0)
		add_copy(s, mx_operand_row(mx_result(in)), (unsigned)dword);
}

/* ---- instructions ---- */

static bool same_place(const struct mx_inst *a, const struct mx_inst *b) {
	return a->op->encoding == b->op->encoding && a->op->d == b->op->d && a->imm == b->imm &&
	       mx_same_operand(a, b, MX_AT_ADDRESS) && mx_same_operand(a, b, MX_AT_BASE) &&
	       mx_same_operand(a, b, MX_AT_OFFSET) && a->mem.offen == b->mem.offen &&
	       a->mem.idxen == b->mem.idxen;
}

/* DS has the comparand first, vector memory the new value. */
static bool verifies(const struct search *q, const struct state *s, const struct mx_inst *in) {
	mx_rmw_kind rmw = in->op->rmw;
	if ((rmw != MX_RMW_cmpswap32 && rmw != MX_RMW_cmpswap64) || s->moved ||
	    !same_place(in, q->load))
		return false;
	unsigned dwords = in->op->d / 4u, first = in->op->encoding == MX_DS ? 0 : dwords;
	for (unsigned k = 0; k < dwords; k++)
		if (copied_dword(s, mx_operand_row(mx_operand_at(in, MX_AT_DATA)) + first + k) !=
		    (int)k)
			return false;
	return true;
}

/* Whether the value may reach more than registers. */
static bool escapes(const struct state *s, const struct mx_inst *in) {
	mx_kind kind = mx_kind_of(in->op);
	bool memory = in->op->encoding == MX_SMEM || in->op->encoding >= MX_DS;
	if (kind == MX_IS_SETPC || kind == MX_IS_CALL || kind == MX_IS_FORK)
		return true;
	if (!reads_derived(s, in))
		return false;
	return memory || kind == MX_IS_CBRANCH || mx_writes_row(in, MX_ROW_SCALAR + MX_EXEC) ||
	       mx_writes_row(in, MX_ROW_SCALAR + MX_EXEC + 1);
}

/* ---- paths ---- */

/* Keeps what holds on both paths. Returns whether the old state changes. */
static bool merge(struct state *to, const struct state *s) {
	struct state old = *to;
	for (unsigned i = 0; i < MX_ROWS / 64; i++)
		to->derived[i] |= s->derived[i];
	for (unsigned i = to->n_copies; i-- > 0;)
		if (copied_dword(s, to->copy[i].row) != to->copy[i].dword)
			drop_copy(to, to->copy[i].row);
	to->moved |= s->moved;
	return memcmp(to->derived, old.derived, sizeof old.derived) ||
	       to->n_copies != old.n_copies || to->moved != old.moved;
}

/* False if there are too many instructions. */
static bool go_to(struct search *q, int node, const struct state *s) {
	int i = q->slot[node];
	if (i == NOT_REACHED) {
		if (q->n == LONGEST)
			return false;
		i = q->slot[node] = (int)q->n++;
		q->node[i] = node;
		q->at[i] = *s;
	} else if (!merge(&q->at[i], s))
		return true;
	if (!q->queued[i])
		q->queue[q->n_queue++] = i;
	q->queued[i] = true;
	return true;
}

static bool go_on(struct search *q, int node, const struct state *s) {
	for (unsigned k = 0; k < 2; k++)
		if (q->g->node[node].next[k] >= 0 && !go_to(q, q->g->node[node].next[k], s))
			return false;
	return true;
}

/* Follows the value from the load at `node` to the compare-and-swap on every path. */
static bool is_verified(struct search *q, int node) {
	struct state s = { .moved = false };
	const struct mx_operand *to = mx_loaded_operand(q->load);
	bool found = false, ok = to != NULL;
	for (unsigned k = 0; ok && k < to->dwords; k++) {
		unsigned row = mx_operand_row(to->code) + k;
		write(&s, row, true);
		add_copy(&s, row, k);
		s.moved |= in_address(q->load, row);
	}
	for (ok = ok && go_on(q, node, &s); ok && q->n_queue;) {
		int i = q->queue[--q->n_queue];
		const struct mx_inst *in = q->g->node[q->node[i]].in;
		q->queued[i] = false;
		s = q->at[i];
		bool here = in->op && verifies(q, &s, in);
		found |= here;
		if (here)
			continue;
		ok = in->op && !escapes(&s, in);
		if (ok) {
			write_all(q, &s, in);
			ok = go_on(q, q->node[i], &s);
		}
	}
	for (unsigned i = 0; i < q->n; i++)
		q->slot[q->node[i]] = NOT_REACHED;
	memset(q->queued, 0, sizeof q->queued);
	q->n = q->n_queue = 0;
	return ok && found;
}

static bool is_plain_load(const struct mx_inst *in) {
	return in && in->op && in->op->encoding >= MX_DS && in->op->flags & MX_LOAD &&
	       !(in->op->flags & MX_STORE) && !in->op->rmw && !in->mem.lds &&
	       (in->op->d == 4 || in->op->d == 8) && !mx_has_agent_scope(in);
}

static bool swaps(const struct mx_graph *g) {
	for (unsigned i = 0; i < g->n; i++) {
		const struct mx_inst *in = g->node[i].in;
		if (in && in->op &&
		    (in->op->rmw == MX_RMW_cmpswap32 || in->op->rmw == MX_RMW_cmpswap64))
			return true;
	}
	return false;
}

bool mx_find_verified_loads(const struct mx_graph *g, bool *verified) {
	if (!swaps(g))
		return true;
	struct search *q = calloc(1, sizeof *q);
	int *slot = malloc((g->n + 1) * sizeof *slot);
	for (unsigned i = 0; slot && i < g->n; i++)
		slot[i] = NOT_REACHED;
	for (unsigned i = 0; q && slot && i < g->n; i++) {
		q->g = g;
		q->slot = slot;
		q->load = g->node[i].in;
		if (is_plain_load(q->load) && is_verified(q, (int)i))
			verified[q->load->offset / 4] = true;
	}
	bool ok = q && slot;
	free(slot);
	free(q);
	return ok;
}
