/* How a kernel's waves synchronise through memory, first of all the loads by which a wave waits
 * for another: in a short loop, from an address that stays, with a value that decides whether the
 * loop goes on. Nothing but another wave ends such a loop, whatever kind of load it is: of
 * workgroup's scope the atomic loads of compiled code are ordinary ones [LLVM "Memory Model
 * gfx942"].
 *
 * An atomic that returns, as of a spin lock, is such a load if it leaves the same however often it
 * is repeated. A loop that changes other memory, too, may be one that counts: then nothing else
 * that differs from round to round may decide whether it goes on. */
#include <stdlib.h>
#include <string.h>

#include "../encoding/control_flow.h"
#include "../memory/atomic.h"
#include "race.h"
#include "wave_sync.h"

enum {
	LONGEST = 256, /* dwords of a loop */
	DEEPEST = 4,   /* instructions that an address goes through */
	PATH = 8,      /* that a condition goes through */
};

mx_handler mx_x_ds_swizzle_b32, mx_x_ds_permute_b32, mx_x_ds_bpermute_b32, mx_x_ds_nop;

/* From the first instruction up to the branch back to it, in bytes. */
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

static bool begins(const struct mx_inst *in, const char *prefix) {
	return !strncmp(in->op->name, prefix, strlen(prefix));
}

static bool is_memory(const struct mx_op *op) {
	return op->encoding == MX_SMEM || op->encoding >= MX_DS;
}

static bool is_scratch(const struct mx_inst *in) {
	return in->op->encoding == MX_SCRATCH && !in->mem.lds;
}

static bool moves_lanes(const struct mx_op *op) {
	return op->handler == mx_x_ds_swizzle_b32 || op->handler == mx_x_ds_permute_b32 ||
	       op->handler == mx_x_ds_bpermute_b32 || op->handler == mx_x_ds_nop;
}

/* Code without a barrier or a call, to its end. */
static bool is_plain(const struct loop *l) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (!in->op || begins(in, "s_barrier") || begins(in, "s_endpgm") ||
		    begins(in, "s_swappc") || begins(in, "s_setpc"))
			return false;
	return true;
}

/* ---- addresses ---- */

static bool covers(const struct mx_order_use *u, unsigned i, unsigned row) {
	return row >= u->range[i].row && row < u->range[i].row + u->range[i].n;
}

static bool writes(const struct mx_order_use *u, unsigned row) {
	for (unsigned i = 0; i < u->n; i++)
		if (u->range[i].write && covers(u, i, row))
			return true;
	return false;
}

static bool overlap(const struct mx_inst *a, const struct mx_inst *b) {
	int end_a = a->imm + (int)a->op->d, end_b = b->imm + (int)b->op->d;
	return a->imm < end_b && b->imm < end_a;
}

/* Whether the loop leaves alone what this loads from scratch. */
static bool slot_stays(const struct loop *l, const struct mx_inst *load) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (is_scratch(in) && in->op->flags & MX_STORE && overlap(in, load))
			return false;
	return true;
}

static bool operands_stay(const struct loop *l, const struct mx_order_use *u, unsigned depth);

static bool stays(const struct loop *l, unsigned row, unsigned depth) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		struct mx_order_use u = { 0 };
		mx_order_find_uses(in, &u);
		if (!writes(&u, row))
			continue;
		bool reloads = is_scratch(in) && slot_stays(l, in);
		bool same = is_memory(in->op) ? reloads
		                              : depth < DEEPEST && operands_stay(l, &u, depth + 1);
		if (!same)
			return false;
	}
	return true;
}

/* Of an atomic also its data: what it reads. */
static bool operands_stay(const struct loop *l, const struct mx_order_use *u, unsigned depth) {
	for (unsigned i = 0; i < u->n; i++)
		for (unsigned k = 0; !u->range[i].write && k < u->range[i].n; k++)
			if (!stays(l, u->range[i].row + k, depth))
				return false;
	return true;
}

/* ---- what the loop depends on ---- */

struct reach {
	uint64_t row[MX_ORDER_ROWS / 64];
	bool scc;
};

static bool has(const struct reach *r, unsigned row) {
	return r->row[row / 64] >> row % 64 & 1;
}

static void mark(struct reach *r, const struct mx_order_use *u) {
	for (unsigned i = 0; i < u->n; i++)
		for (unsigned k = 0; u->range[i].write && k < u->range[i].n; k++)
			r->row[(u->range[i].row + k) / 64] |= 1ull << (u->range[i].row + k) % 64;
}

static bool reads(const struct reach *r, const struct mx_order_use *u) {
	for (unsigned i = 0; i < u->n; i++)
		for (unsigned k = 0; !u->range[i].write && k < u->range[i].n; k++)
			if (has(r, u->range[i].row + k))
				return true;
	return false;
}

static bool branches_on(const struct reach *r, const struct mx_inst *in) {
	const char *name = in->op->name;
	if (!begins(in, "s_cbranch"))
		return false;
	return strstr(name, "scc")    ? r->scc
	       : strstr(name, "vcc")  ? has(r, MX_VGPR_FILE + MX_VCC)
	       : strstr(name, "exec") ? has(r, MX_VGPR_FILE + MX_EXEC)
	                              : false;
}

/* What the value goes into: any scalar instruction may set SCC, and masks become EXEC. */
static void follow(struct reach *r, const struct mx_inst *in) {
	struct mx_order_use u = { 0 };
	mx_order_find_uses(in, &u);
	if (is_memory(in->op) || !(reads(r, &u) || (r->scc && begins(in, "s_cselect"))))
		return;
	mark(r, &u);
	r->scc |= in->op->encoding < MX_SMEM;
	if (strstr(in->op->name, "saveexec") || begins(in, "v_cmpx"))
		r->row[(MX_VGPR_FILE + MX_EXEC) / 64] |= 1ull << (MX_VGPR_FILE + MX_EXEC) % 64;
}

static bool decides(const struct loop *l, const struct mx_order_use *load) {
	struct reach r = { 0 };
	mark(&r, load);
	for (unsigned again = 0; again < 2; again++)
		for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
			if (branches_on(&r, in))
				return true;
			follow(&r, in);
		}
	return false;
}

/* ---- loops that change memory ---- */

/* Whether doing it again changes nothing. */
static bool is_idempotent(const struct mx_op *op) {
	static mx_rmw_function *const those[] = {
		mx_rmw_swap32, mx_rmw_swap64, mx_rmw_cmpswap32, mx_rmw_cmpswap64,
		mx_rmw_and32,  mx_rmw_and64,  mx_rmw_or32,      mx_rmw_or64,
		mx_rmw_smin32, mx_rmw_smin64, mx_rmw_umin32,    mx_rmw_umin64,
		mx_rmw_smax32, mx_rmw_smax64, mx_rmw_umax32,    mx_rmw_umax64,
	};
	for (unsigned i = 0; i < sizeof those / sizeof *those; i++)
		if (op->rmw == those[i])
			return true;
	return false;
}

/* Loads and such atomics, of which the address stays. */
static bool may_poll(const struct loop *l, const struct mx_inst *in, struct mx_order_use *u) {
	const struct mx_op *op = in->op;
	bool loads = op->rmw ? is_idempotent(op) && mx_order_acquires(in)
	                     : op->flags & MX_LOAD && !(op->flags & MX_STORE) && !in->mem.lds;
	if (!is_memory(op) || is_scratch(in) || moves_lanes(op) || !loads)
		return false;
	mx_order_find_uses(in, u);
	return operands_stay(l, u, 0);
}

static bool changes_memory(const struct loop *l, const struct mx_inst *in) {
	struct mx_order_use u = { 0 };
	const struct mx_op *op = in->op;
	bool changes = op->rmw || op->flags & MX_STORE || in->mem.lds;
	return is_memory(op) && !is_scratch(in) && !moves_lanes(op) && changes &&
	       !may_poll(l, in, &u);
}

/* Whether an instruction may have the same masks over and over, those of lanes that are done. */
static bool gathers(const struct mx_inst *in) {
	return begins(in, "s_or") || begins(in, "s_and");
}

/* The instructions that lead to a value. */
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

/* Whether a register differs from round to round only by what loads bring that may poll. */
static bool only_waits(const struct loop *l, unsigned row, struct path *p) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		struct mx_order_use u = { 0 }, loaded = { 0 };
		mx_order_find_uses(in, &u);
		if (!writes(&u, row) || may_poll(l, in, &loaded))
			continue;
		if (is_memory(in->op) ||
		    !(is_on(p, in) ? gathers(in) : follows_from_loads(l, in, p)))
			return false;
	}
	return true;
}

static bool follows_from_loads(const struct loop *l, const struct mx_inst *in, struct path *p) {
	struct mx_order_use u = { 0 };
	bool follows = p->n < PATH;
	mx_order_find_uses(in, &u);
	if (follows)
		p->in[p->n++] = in;
	for (unsigned i = 0; follows && i < u.n; i++)
		for (unsigned k = 0; follows && !u.range[i].write && k < u.range[i].n; k++)
			follows = only_waits(l, u.range[i].row + k, p);
	p->n -= p->n && p->in[p->n - 1] == in;
	return follows;
}

/* The instruction that has set SCC, as far as it shows: a scalar one. */
static const struct mx_inst *scc_before(const struct loop *l, const struct mx_inst *branch) {
	const struct mx_inst *last = NULL;
	for (const struct mx_inst *in = first(l); in && in != branch; in = next(l, in))
		if (in->op->encoding < MX_SMEM && in->op->encoding != MX_SOPP)
			last = in;
	return last;
}

static bool waits_at(const struct loop *l, const struct mx_inst *branch) {
	struct path p = { .n = 0 };
	const char *name = branch->op->name;
	if (strstr(name, "scc")) {
		const struct mx_inst *in = scc_before(l, branch);
		return in && follows_from_loads(l, in, &p);
	}
	unsigned row = strstr(name, "vcc")    ? MX_VGPR_FILE + MX_VCC
	               : strstr(name, "exec") ? MX_VGPR_FILE + MX_EXEC
	                                      : 0;
	return row && only_waits(l, row, &p) && only_waits(l, row + 1, &p);
}

/* Whether all branches depend on loads that may poll, and on nothing else. */
static bool only_loads_decide(const struct loop *l) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (begins(in, "s_cbranch") && !waits_at(l, in))
			return false;
	return true;
}

static bool same_address(const struct mx_inst *a, const struct mx_inst *b) {
	return a->op->encoding == b->op->encoding && a->mem.addr == b->mem.addr &&
	       a->mem.rsrc == b->mem.rsrc && overlap(a, b);
}

/* Whether the loop stores where it loads: another wave need not. */
static bool stores_there(const struct loop *l, const struct mx_inst *load) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in))
		if (in != load && changes_memory(l, in) && same_address(in, load))
			return true;
	return false;
}

/* ---- loops ---- */

static void look_for_loads(const struct loop *l, bool *polls) {
	bool changes = false;
	for (const struct mx_inst *in = first(l); in && !changes; in = next(l, in))
		changes = changes_memory(l, in);
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		struct mx_order_use u = { 0 };
		if (!may_poll(l, in, &u) || !decides(l, &u))
			continue;
		if (!changes || (!stores_there(l, in) && only_loads_decide(l)))
			polls[in->offset / 4] = true;
	}
}

static bool is_branch(const struct mx_inst *in) {
	return in->op && in->op->encoding == MX_SOPP &&
	       (begins(in, "s_branch") || begins(in, "s_cbranch"));
}

static void find_polls(const struct mx_program *p, const bool *reached, bool *polls) {
	for (uint32_t at = 0; at < 4 * mx_program_dwords(p); at += 4) {
		const struct mx_inst *in = mx_program_at(p, at);
		struct loop l = { p, 0, at };
		if (!reached[at / 4] || !is_branch(in) || (int16_t)in->imm >= -1 ||
		    (int16_t)in->imm < -LONGEST)
			continue;
		l.from = at + 4 + 4 * (uint32_t)(int16_t)in->imm;
		if (l.from < at && is_plain(&l))
			look_for_loads(&l, polls);
	}
}

/* ---- the code of a kernel ---- */

/* Marks what can be reached from an entry; all of the program where a call or a jump through a
 * register leads to other code. */
static bool mark_reached(const struct mx_program *p, uint64_t entry, bool *reached) {
	struct mx_graph g = { 0 };
	size_t n = mx_program_dwords(p);
	bool inside = mx_program_at(p, entry);
	if (inside && !mx_graph_make(p, (uint32_t)entry, (uint32_t)(4 * n), &g))
		return false;
	bool all = !inside || g.unknown;
	for (unsigned i = 0; i < g.n; i++)
		all |= g.node[i].in && mx_is_call(g.node[i].in);
	for (size_t i = 0; i < n; i++)
		reached[i] = all || (i >= entry / 4 && g.node[i - entry / 4].in);
	mx_graph_free(&g);
	return true;
}

bool mx_find_wave_sync(const struct mx_program *p, struct mx_wave_sync *m) {
	bool *reached = calloc(mx_program_dwords(p) + 1, 1);
	bool ok = reached && mark_reached(p, m->entry, reached);
	if (ok)
		find_polls(p, reached, m->polls);
	for (size_t i = 0; ok && i < mx_program_dwords(p); i++) {
		m->any_polls |= m->polls[i];
		m->any |= m->polls[i] || (reached[i] && mx_order_acquires(mx_program_at(p, 4 * i)));
	}
	free(reached);
	return ok;
}
