/* The watcher that passes the events of a launch to its observer (isa.h). */
#include <stdlib.h>
#include <string.h>

#include "../schedule/inflight.h"
#include "observe.h"

/* The data of a wave. */
struct observed {
	unsigned kinds;                 /* MX_EVENT_... that the observer wants */
	const struct mx_inst *at;       /* the instruction that executes or lands */
	const struct mx_memop *landing; /* or NULL */
	bool elsewhere;                 /* its accesses are left out */
};

static struct observed *observed(const struct mx_wave *w) {
	return (struct observed *)w->group->watcher_data[MX_WATCHER_OBSERVER] + w->index;
}

static uint32_t block_of(const struct mx_memop *m) {
	return m && mx_kind_of(m->in->op) == MX_IS_BLOCK ? m->block : ~0u;
}

/* An event at the instruction that the wave executes or lands. */
static struct mx_event event(const struct mx_wave *w, mx_event_kind kind) {
	const struct mx_run *run = w->group->run;
	const struct observed *o = observed(w);
	const struct mx_inst *in = o->at;
	uint64_t base = mx_program_base(run->launch->program) - run->launch->kernel->entry;
	struct mx_event e = {
		.kind = kind,
		.wave = w->index,
		.time = w->group->clock,
		.issue = !in          ? 0
		         : o->landing ? o->landing->issue
		                      : w->issued,
		.kernarg = run->launch->kernarg,
		.landing = o->landing != NULL,
		.block = block_of(o->landing),
		.pc = base + (in ? in->offset : w->pc),
		.isa = run->isa,
		.code = in ? in->dwords : NULL,
		.dwords = in ? in->size / 4 : 0,
		.banks = in ? in->banks : 0,
		.registers = { w->s, (const uint32_t(*)[MX_LANES])w->v, w->vgprs, w->agprs,
		               w->scc },
		.lane = -1,
	};
	memcpy(e.workgroup, w->group->id, sizeof e.workgroup);
	return e;
}

static void notify(const struct mx_observer *observer, const struct mx_event *e) {
	observer->event(observer->context, e);
}

/* ---- a wave ---- */

/* Every event needs the instruction that executes or lands. */
static unsigned watch_kinds(unsigned kinds) {
	return (kinds ? MX_WATCH_ISSUE | MX_WATCH_LANDING : 0) |
	       (kinds & MX_EVENT_SGPR ? MX_WATCH_SGPR : 0) |
	       (kinds & MX_EVENT_VGPR ? MX_WATCH_VGPR : 0) |
	       (kinds & MX_EVENT_MEMORY ? MX_WATCH_GLOBAL | MX_WATCH_CONSTANT : 0) |
	       (kinds & MX_EVENT_LDS ? MX_WATCH_LDS : 0) |
	       (kinds & MX_EVENT_SCRATCH ? MX_WATCH_SCRATCH : 0);
}

static unsigned wave_begin(void *context, struct mx_wave *w) {
	const struct mx_observer *observer = context;
	struct observed *o = observed(w);
	*o = (struct observed){ observer->wants(observer->context, w->group->id, w->index) };
	return watch_kinds(o->kinds);
}

static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	struct observed *o = observed(w);
	(void)skipped;
	o->at = in;
	if (!(o->kinds & MX_EVENT_ISSUE))
		return 0;
	struct mx_event e = event(w, MX_EVENT_ISSUE);
	notify(context, &e);
	return 0;
}

/* Whether a load, store, atomic or copy of lanes accesses none of the observer's bytes. */
static bool elsewhere(void *context, const struct mx_memop *m) {
	const struct mx_observer *observer = context;
	mx_encoding e = m->in->op->encoding;
	bool by_lanes = e == MX_FLAT || e == MX_GLOBAL || e == MX_MUBUF || e == MX_DS;
	unsigned l;
	if (!observer->bytes || !by_lanes || mx_kind_of(m->in->op) == MX_IS_BLOCK)
		return false;
	if (e == MX_DS)
		return true;
	MX_FOR_LANES(l, m->exec)
	if (m->address[l] < observer->address + observer->bytes &&
	    observer->address < m->address[l] + m->in->op->d)
		return false;
	return true;
}

static void landing(void *context, struct mx_wave *w, struct mx_memop *m) {
	struct observed *o = observed(w);
	o->landing = m;
	o->at = m->in;
	o->elsewhere = elsewhere(context, m);
	if (!(o->kinds & MX_EVENT_LAND))
		return;
	struct mx_event e = event(w, MX_EVENT_LAND);
	notify(context, &e);
}

static void landed(void *context, struct mx_wave *w, struct mx_memop *m) {
	struct observed *o = observed(w);
	(void)context, (void)m;
	o->landing = NULL;
	o->at = NULL;
	o->elsewhere = false;
}

static void sgpr(void *context, const struct mx_wave *w, unsigned code) {
	if (!(observed(w)->kinds & MX_EVENT_SGPR))
		return;
	struct mx_event e = event(w, MX_EVENT_SGPR);
	e.reg = code;
	e.value = &w->s[code];
	notify(context, &e);
}

static void vgpr(void *context, const struct mx_wave *w, unsigned row, uint64_t lanes) {
	if (!(observed(w)->kinds & MX_EVENT_VGPR))
		return;
	struct mx_event e = event(w, MX_EVENT_VGPR);
	e.reg = row;
	e.lanes = lanes;
	e.value = w->v[row];
	notify(context, &e);
}

/* ---- memory ---- */

/* The lanes of which the data contains the address. */
static uint64_t lanes_of(const struct mx_memop *m, uint64_t address) {
	uint64_t lanes = 0;
	unsigned l;
	if (!m || m->in->op->encoding == MX_SMEM)
		return 0;
	MX_FOR_LANES(l, m->exec)
	if (address >= m->address[l] && address - m->address[l] < m->in->op->d)
		lanes |= 1ull << l;
	return lanes;
}

/* Lanes are written in order, so the data of the highest lane stays. */
static int lane_of(uint64_t lanes, bool write) {
	bool one = lanes && !(lanes & (lanes - 1));
	return one || (lanes && write) ? 63 - __builtin_clzll(lanes) : -1;
}

static void access(void *context, const struct mx_wave *w, const struct mx_touch *t) {
	mx_event_kind kind = t->space == MX_WATCH_LDS       ? MX_EVENT_LDS
	                     : t->space == MX_WATCH_SCRATCH ? MX_EVENT_SCRATCH
	                                                    : MX_EVENT_MEMORY;
	bool memory = kind == MX_EVENT_MEMORY;
	if (!(observed(w)->kinds & kind) || observed(w)->elsewhere)
		return;
	struct mx_event e = event(w, kind);
	e.lanes = memory ? lanes_of(observed(w)->landing, t->address) : 1ull << t->lane;
	e.lane = memory ? lane_of(e.lanes, t->write) : t->lane;
	e.address = t->address;
	e.bytes = t->bytes;
	e.data = t->value;
	e.write = t->write;
	notify(context, &e);
}

/* ---- a workgroup, the launch ---- */

static bool workgroup_new(void *context, struct mx_group *g) {
	(void)context;
	g->watcher_data[MX_WATCHER_OBSERVER] = calloc(g->room, sizeof(struct observed));
	return g->watcher_data[MX_WATCHER_OBSERVER];
}

static void workgroup_free(void *context, struct mx_group *g) {
	(void)context;
	free(g->watcher_data[MX_WATCHER_OBSERVER]);
}

void mx_observe(struct mx_run *run) {
	if (run->launch->observer)
		run->watchers[MX_WATCHER_OBSERVER] =
			(struct mx_watcher){ .context = (void *)run->launch->observer,
			                     .one_thread = true,
			                     .workgroup_new = workgroup_new,
			                     .workgroup_free = workgroup_free,
			                     .wave_begin = wave_begin,
			                     .issue = issue,
			                     .landing = landing,
			                     .landed = landed,
			                     .sgpr = sgpr,
			                     .vgpr = vgpr,
			                     .access = access,
			                     .elsewhere = elsewhere };
}
