/* How a program's waves tell each other something by memory, first of all the loads by which a wave
 * waits for somebody else: in a short loop that changes no memory but
 * scratch, from an address that stays, with a value on which it depends whether the loop goes on.
 * Nothing but another wave ends such a loop, whatever kind of load it is: of workgroup's scope the
 * atomic loads of compiled code are ordinary ones [LLVM "Memory Model gfx942"]. */
#include <string.h>

#include "order.h"

enum {
	LONGEST = 256, /* dwords of a loop */
	DEEPEST = 4,   /* instructions that an address goes through */
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

/* Code without a store, a barrier or a call, to its end. */
static bool only_looks(const struct loop *l) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		if (!in->op || begins(in, "s_barrier") || begins(in, "s_endpgm") ||
		    begins(in, "s_swappc") || begins(in, "s_setpc"))
			return false;
		if (is_memory(in->op) && !is_scratch(in) &&
		    (in->op->rmw || in->op->flags & MX_STORE || in->mem.lds))
			return false;
	}
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

/* ---- loops ---- */

static void look_for_loads(const struct loop *l, bool *polls) {
	for (const struct mx_inst *in = first(l); in; in = next(l, in)) {
		const struct mx_op *op = in->op;
		struct mx_order_use u = { 0 };
		if (!is_memory(op) || is_scratch(in) || moves_lanes(op) || !(op->flags & MX_LOAD))
			continue;
		mx_order_find_uses(in, &u);
		if (operands_stay(l, &u, 0) && decides(l, &u))
			polls[in->offset / 4] = true;
	}
}

static bool is_branch(const struct mx_inst *in) {
	return in->op && in->op->encoding == MX_SOPP &&
	       (begins(in, "s_branch") || begins(in, "s_cbranch"));
}

static void find_polls(const struct mx_program *p, bool *polls) {
	for (uint32_t at = 0; at < 4 * mx_program_dwords(p); at += 4) {
		const struct mx_inst *in = mx_program_at(p, at);
		struct loop l = { p, 0, at };
		if (!is_branch(in) || (int16_t)in->imm >= -1 || (int16_t)in->imm < -LONGEST)
			continue;
		l.from = at + 4 + 4 * (uint32_t)(int16_t)in->imm;
		if (l.from < at && only_looks(&l))
			look_for_loads(&l, polls);
	}
}

void mx_find_meetings(const struct mx_program *p, struct mx_meetings *m) {
	find_polls(p, m->polls);
	for (size_t i = 0; i < mx_program_dwords(p); i++) {
		m->any_polls |= m->polls[i];
		m->any |= m->polls[i] || mx_order_acquires(mx_program_at(p, 4 * i));
	}
}
