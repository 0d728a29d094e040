/* Calling the watchers of a run. */
#include "wave.h"

#define CALL(run, callback, ...)                                                                   \
	do {                                                                                       \
		const struct mx_watcher *x = (run)->watchers;                                      \
		for (unsigned i = 0; i < MX_WATCHERS; i++)                                         \
			if (x[i].callback)                                                         \
				x[i].callback(x[i].context, __VA_ARGS__);                          \
	} while (0)

/* ---- the launch ---- */

bool mx_watch_one_thread(const struct mx_run *run) {
	for (unsigned i = 0; i < MX_WATCHERS; i++)
		if (run->watchers[i].one_thread)
			return true;
	return false;
}

bool mx_watch_short_turns(const struct mx_run *run) {
	for (unsigned i = 0; i < MX_WATCHERS; i++)
		if (run->watchers[i].short_turns)
			return true;
	return false;
}

void mx_watch_launch_end(struct mx_run *run) {
	CALL(run, launch_end, run);
}

bool mx_watch_part_begin(struct mx_run *part) {
	for (const struct mx_watcher *x = part->watchers; x < part->watchers + MX_WATCHERS; x++)
		if (x->part_begin && !x->part_begin(x->context, part))
			return false;
	return true;
}

bool mx_watch_part_stands(const struct mx_run *run, const struct mx_run *part, bool in_order) {
	for (const struct mx_watcher *x = run->watchers; x < run->watchers + MX_WATCHERS; x++)
		if (x->part_stands && !x->part_stands(x->context, part, in_order))
			return false;
	return true;
}

void mx_watch_part_end(const struct mx_run *run, struct mx_run *part, bool keep) {
	CALL(run, part_end, part, keep);
}

/* ---- a workgroup ---- */

bool mx_watch_workgroup_new(struct mx_group *g) {
	for (const struct mx_watcher *x = g->run->watchers; x < g->run->watchers + MX_WATCHERS; x++)
		if (x->workgroup_new && !x->workgroup_new(x->context, g))
			return false;
	return true;
}

void mx_watch_workgroup_free(struct mx_group *g) {
	for (unsigned i = 0; i < MX_WATCHERS; i++) {
		const struct mx_watcher *x = &g->run->watchers[i];
		if (g->watcher_data[i])
			x->workgroup_free(x->context, g);
	}
}

void mx_watch_workgroup_begin(struct mx_group *g) {
	CALL(g->run, workgroup_begin, g);
}

void mx_watch_workgroup_end(struct mx_group *g) {
	CALL(g->run, workgroup_end, g);
}

void mx_watch_barrier_opens(struct mx_group *g, unsigned barrier) {
	CALL(g->run, barrier_opens, g, barrier);
}

/* ---- a wave ---- */

static unsigned kinds_of(const struct mx_watcher *x) {
	return (x->issue ? MX_WATCH_ISSUE : 0) | (x->landing || x->landed ? MX_WATCH_LANDING : 0) |
	       (x->sgpr ? MX_WATCH_SGPR : 0) | (x->vgpr ? MX_WATCH_VGPR : 0) |
	       (x->access ? MX_WATCH_ACCESSES : 0) | (x->preload ? MX_WATCH_PRELOAD : 0) |
	       (x->operation ? MX_WATCH_OPERATION : 0) | (x->wait ? MX_WATCH_WAIT : 0) |
	       (x->arrive || x->pass ? MX_WATCH_BARRIER : 0);
}

void mx_watch_wave_begin(struct mx_wave *w) {
	const struct mx_run *run = w->group->run;
	w->wanted = w->issue_watchers = w->operation_watchers = 0;
	w->quiet = (struct mx_quiet){ .next = UINT32_MAX };
	for (unsigned i = 0; i < MX_WATCHERS; i++) {
		const struct mx_watcher *x = &run->watchers[i];
		w->issue_watchers |= (unsigned)(x->issue != NULL) << i;
		w->operation_watchers |= (unsigned)(x->operation || x->wait) << i;
		w->wanted |= x->wave_begin ? x->wave_begin(x->context, w) : kinds_of(x);
	}
}

void mx_watch_preload(struct mx_wave *w, uint64_t address, unsigned bytes) {
	CALL(w->group->run, preload, w, address, bytes);
}

void mx_watch_issue(struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	const struct mx_watcher *x = w->group->run->watchers;
	uint32_t end = w->quiet.inst ? UINT32_MAX : 0;
	for (unsigned left = w->issue_watchers; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		uint32_t until = x[i].issue(x[i].context, w, in, skipped);
		end = until < end ? until : end;
	}
	w->quiet.end = end;
	if (!skipped)
		w->quiet.next = in->offset + in->size;
}

void mx_watch_quiet(struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_watcher *x = &w->group->run->watchers[MX_WATCHER_ORDER];
	uint32_t until = x->issue(x->context, w, in, false);
	w->quiet.end = until < w->quiet.end ? until : w->quiet.end;
	w->quiet.next = in->offset + in->size;
}

void mx_watch_operation(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_watcher *x = w->group->run->watchers;
	for (unsigned left = w->operation_watchers; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		if (x[i].operation)
			x[i].operation(x[i].context, w, m);
	}
}

void mx_watch_landing(struct mx_wave *w, struct mx_memop *m) {
	CALL(w->group->run, landing, w, m);
}

void mx_watch_landed(struct mx_wave *w, struct mx_memop *m) {
	CALL(w->group->run, landed, w, m);
}

void mx_watch_wait(struct mx_wave *w) {
	const struct mx_watcher *x = w->group->run->watchers;
	for (unsigned left = w->operation_watchers; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		if (x[i].wait)
			x[i].wait(x[i].context, w);
	}
}

void mx_watch_arrive(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	CALL(w->group->run, arrive, w, in, barrier);
}

void mx_watch_pass(struct mx_wave *w, unsigned barrier) {
	CALL(w->group->run, pass, w, barrier);
}

void mx_watch_barrier_changes(struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	if (w->wanted & MX_WATCH_BARRIER)
		CALL(w->group->run, barrier_changes, w, in, barrier);
}

void mx_watch_sgpr(const struct mx_wave *w, unsigned code) {
	CALL(w->group->run, sgpr, w, code);
}

void mx_watch_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes) {
	CALL(w->group->run, vgpr, w, row, lanes);
}

bool mx_watch_elsewhere(const struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_run *run = w->group->run;
	for (const struct mx_watcher *x = run->watchers; x < run->watchers + MX_WATCHERS; x++)
		if (x->access && !(x->elsewhere && x->elsewhere(x->context, m)))
			return false;
	return true;
}

static bool is_atomic(const struct mx_op *op) {
	const uint32_t both = MX_LOAD | MX_STORE;
	return op->rmw || (op->flags & both) == both;
}

void mx_watch_access(const struct mx_wave *w, const struct mx_inst *in, struct mx_touch t) {
	uint32_t touched = ~0u >> (32 - 8 * t.bytes);
	t.atomic = in && is_atomic(in->op);
	t.value &= touched;
	t.unwritten &= touched;
	CALL(w->group->run, access, w, &t);
}
