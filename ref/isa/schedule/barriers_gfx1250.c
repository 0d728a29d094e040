/* The barriers of gfx1250: -1 is that of the workgroup, -3 that of its cluster, without effect if
 * there is none, 1 to 16 are named, 0 is none [LLVM "AMDGPU Execution Synchronization"]. */
#include "../encoding/gfx1250.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "barriers.h"
#include "clusters.h"
#include "inflight.h"

enum { CLUSTER = -3, WORKGROUP = -1, NONE = 0, LAST_NAMED = 16 };

#define FLOW(name)                                                                                 \
	mx_handler mx_x_##name;                                                                    \
	void mx_x_##name(struct mx_wave *w, const struct mx_inst *in)

/* A constant, or bits 4:0 of M0. */
static int32_t barrier_of(struct mx_wave *w, const struct mx_inst *in) {
	enum { IDS = 32 };
	int32_t id = (int32_t)mx_sread(w, in, mx_source(in, 0));
	if (mx_source(in, 0) == MX_M0)
		id = (id & (IDS - 1)) > LAST_NAMED ? (id & (IDS - 1)) - IDS : id & (IDS - 1);
	return id;
}

static uint32_t members_in_m0(const struct mx_wave *w) {
	return w->s[MX_M0] >> 16 & 127;
}

static void find(struct mx_wave *w, const struct mx_inst *in, mx_reason why, int32_t id) {
	mx_find(w, in, MX_UNSUPPORTED, -1, 0,
	        (struct mx_because){ why, { (uint64_t)(int64_t)id } });
}

/* A named barrier that the kernel has; others but 0 are findings. */
static bool is_named(struct mx_wave *w, const struct mx_inst *in, int32_t id) {
	bool named = id > NONE && id <= w->group->run->launch->kernel->named_barriers;
	if (!named && id != NONE)
		find(w, in, MX_BECAUSE_BARRIER_ID, id);
	return named;
}

/* One that has been initialised, too. */
static bool has_members(struct mx_wave *w, const struct mx_inst *in, int32_t id) {
	if (!is_named(w, in, id))
		return false;
	if (!w->group->barrier[id].expected)
		find(w, in, MX_BECAUSE_BARRIER_BEGIN, id);
	return w->group->barrier[id].expected;
}

/* ---- named barriers ---- */

FLOW(s_barrier_init) {
	int32_t id = barrier_of(w, in);
	if (!is_named(w, in, id))
		return;
	if (!members_in_m0(w))
		find(w, in, MX_BECAUSE_BARRIER_MEMBERS, id);
	else
		mx_barrier_init(w->group, (unsigned)id, members_in_m0(w));
	mx_watch_barrier_changes(w, in, (unsigned)id);
}

FLOW(s_barrier_join) {
	int32_t id = barrier_of(w, in);
	bool named = id != NONE && has_members(w, in, id);
	w->joined = named ? (uint8_t)id : NONE;
	if (!named)
		return;
	mx_barrier_join(w, (unsigned)id);
	mx_watch_barrier_changes(w, in, (unsigned)id);
}

/* SCC is written; LLVM has it as a result, and no source at hand has its value. */
FLOW(s_barrier_leave) {
	if (w->joined) {
		mx_watch_barrier_changes(w, in, w->joined);
		mx_barrier_expect(w->group, w->joined, w->group->barrier[w->joined].expected - 1);
	}
	w->joined = NONE;
	w->scc_unwritten = true;
}

/* M0 may have another number of members, more than have signalled. */
static bool takes_members(struct mx_wave *w, const struct mx_inst *in, int32_t id) {
	const struct mx_barrier *x = &w->group->barrier[id];
	uint32_t members = mx_source(in, 0) == MX_M0 ? members_in_m0(w) : 0;
	if (!members || members == x->expected)
		return true;
	if (members <= x->signals)
		find(w, in, MX_BECAUSE_BARRIER_MEMBERS, id);
	else {
		mx_watch_barrier_changes(w, in, (unsigned)id);
		mx_barrier_expect(w->group, (unsigned)id, members);
	}
	return members > x->signals;
}

/* ---- states ---- */

static uint32_t members_of(const struct mx_group *g, unsigned b) {
	uint32_t alive = 0;
	for (unsigned i = 0; i < g->n_waves; i++)
		alive += g->waves[i].status != MX_ENDED;
	return b == MX_BARRIER_WORKGROUP ? alive : g->barrier[b].expected;
}

/* Bit 0: whether there is a barrier, 10:4: its members, 22:16: its signals [Linux
 * "cwsr_trap_handler_gfx12.asm", BARRIER_STATE_*]. No source has the other bits, the state of other
 * barriers, nor whether a workgroup of one wave has one. */
static void land_state(struct mx_wave *w, struct mx_memop *m) {
	enum { VALID = 1, MEMBERS = 4, SIGNALS = 16, COUNT = 127 };
	const struct mx_group *g = w->group;
	unsigned b = (unsigned)m->address[0];
	uint32_t state = 0, known = 0;
	if (b < MX_BARRIERS) {
		known = VALID | COUNT << MEMBERS | COUNT << SIGNALS;
		state = VALID | members_of(g, b) << MEMBERS | g->barrier[b].signals << SIGNALS;
	}
	if (b == MX_BARRIER_WORKGROUP && g->n_waves == 1)
		known &= ~(uint32_t)VALID;
	mx_swrite(w, mx_result(m->in), state & known, ~known);
}

FLOW(s_get_barrier_state) {
	int32_t id = barrier_of(w, in);
	struct mx_memop *m = mx_memop_new(w, in);
	if (!m)
		return;
	m->address[0] = id == WORKGROUP                    ? MX_BARRIER_WORKGROUP
	                : id > NONE && is_named(w, in, id) ? (unsigned)id
	                                                   : MX_BARRIERS;
	m->land = land_state;
	mx_memop_issue(w, mx_stream_of(in), m);
}

/* ---- signals and waits ---- */

/* Whether a wave may signal, and which: a barrier of the workgroup. */
static bool may_signal(struct mx_wave *w, const struct mx_inst *in, int32_t id, unsigned *b) {
	*b = id == WORKGROUP ? MX_BARRIER_WORKGROUP : (unsigned)id;
	return id == WORKGROUP || (has_members(w, in, id) && takes_members(w, in, id));
}

FLOW(s_barrier_signal) {
	int32_t id = barrier_of(w, in);
	unsigned b;
	if (id == CLUSTER && w->group->cluster)
		mx_cluster_signal(w, in);
	else if (id != CLUSTER && may_signal(w, in, id, &b))
		mx_barrier_signal(w, in, b);
}

/* SCC: whether no other wave has signalled since the barrier completed. */
FLOW(s_barrier_signal_isfirst) {
	unsigned b;
	if (!may_signal(w, in, barrier_of(w, in), &b))
		return;
	w->scc = !w->group->barrier[b].signals;
	w->scc_unwritten = false;
	mx_barrier_signal(w, in, b);
}

/* The wait for a named barrier is for that which the wave has joined last. */
FLOW(s_barrier_wait) {
	if (in->imm == WORKGROUP)
		mx_barrier_wait(w, MX_BARRIER_WORKGROUP);
	else if (in->imm == CLUSTER && w->group->cluster)
		mx_barrier_wait(w, MX_BARRIER_CLUSTER);
	else if (in->imm != CLUSTER && is_named(w, in, in->imm) && w->joined)
		mx_barrier_wait(w, w->joined);
	else if (in->imm > NONE && !w->joined)
		find(w, in, MX_BECAUSE_BARRIER_JOIN, in->imm);
}
