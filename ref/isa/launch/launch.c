/* A launch: it starts workgroups in order and gives each its turns. */
#include <stdlib.h>
#include <string.h>

#include "../../num/clock.h"
#include "../encoding/instruction_set.h"
#include "../machine/claims.h"
#include "../machine/findings.h"
#include "../machine/pages.h"
#include "../race/race.h"
#include "../race/wave_sync.h"
#include "../schedule/clusters.h"
#include "../schedule/schedule.h"
#include "../waitstates/dependence.h"
#include "../waitstates/hazard.h"
#include "bank_counts.h"
#include "coverage.h"
#include "launch.h"
#include "observe.h"

enum {
	SLICE = 1 << 20,       /* instructions of a workgroup before others get a turn */
	SHORT_SLICE = 1 << 10, /* of a cooperative launch */
	INTERLEAVED = 8,       /* workgroups that take short turns */
	WARM_UP = 1 << 12,     /* instructions of a launch before it may use threads */
};

static uint64_t slice_of(const struct mx_run *run) {
	return run->launch->cooperative ? SHORT_SLICE : SLICE;
}

/* Under some schedules a few workgroups take short turns until they have run for a slice. */
static bool takes_turns(const struct mx_run *run, const struct mx_residents *r) {
	return run->slice && r->n && r->group[0]->clock < slice_of(run);
}

static bool run_group(struct mx_run *run, struct mx_group *g, bool *stalled) {
	if (run->slice && g->clock < slice_of(run) && !mx_group_waits(g))
		return mx_group_run(g, run->slice);
	return mx_group_run_slice(g, slice_of(run), stalled);
}

/* Whether another workgroup may be resident. A cluster starts as a whole; the next one begins when
 * workgroups have ended. */
static bool has_room(const struct mx_residents *r, const struct mx_run *run) {
	unsigned size = mx_cluster_size(run->launch);
	if (r->n == MX_RESIDENT || atomic_load(r->next) >= r->end)
		return false;
	return size == 1 || atomic_load(r->next) % size || r->n < size;
}

/* Takes the next workgroup from a counter that several threads may share. */
static bool next_group(struct mx_residents *r, const struct mx_run *run, uint64_t *nth) {
	bool few = mx_cluster_size(run->launch) == 1 && takes_turns(run, r);
	if (!has_room(r, run) || (few && r->n == INTERLEAVED))
		return false;
	*nth = atomic_fetch_add(r->next, 1);
	return *nth < r->end;
}

static struct mx_group *begin(struct mx_residents *r, struct mx_run *run, uint64_t nth) {
	struct mx_group *g = r->spare ? r->spare : mx_group_new(run);
	r->spare = NULL;
	if (g) {
		g->nth = nth;
		mx_group_start(g, mx_run_order(run, nth));
	} else
		run->out_of_memory = true;
	return g;
}

static struct mx_group *take_first(struct mx_residents *r) {
	struct mx_group *g = r->n ? r->group[0] : NULL;
	if (g)
		memmove(r->group, r->group + 1, --r->n * sizeof *r->group);
	return g;
}

static void retire(struct mx_residents *r, struct mx_group *g) {
	mx_watch_workgroup_end(g);
	mx_cluster_leave(g);
	if (r->spare)
		mx_group_free(g);
	else
		r->spare = g;
}

/* A launch is stuck once all of its workgroups have stalled in a row. A thread has only its own
 * workgroups, so it aborts and leaves the decision to a run on one thread. */
static void note_stall(struct mx_residents *r, struct mx_run *run, bool stalled) {
	r->stalled = stalled ? r->stalled + 1 : 0;
	if (stalled && run->worker)
		mx_abort(run);
	else if (r->n && r->stalled >= r->n && !has_room(r, run))
		mx_report_stall(r->group[0]);
}

void mx_residents_run(struct mx_residents *r, struct mx_run *run, uint64_t instructions) {
	uint64_t nth;
	while (!mx_run_over(run) && run->report->stats.instructions < instructions) {
		struct mx_group *g = next_group(r, run, &nth) ? begin(r, run, nth) : take_first(r);
		bool stalled = false;
		if (!g)
			return;
		if (run_group(run, g, &stalled))
			retire(r, g);
		else {
			r->group[r->n++] = g;
			r->took_turns = true;
		}
		note_stall(r, run, stalled);
	}
}

void mx_residents_free(struct mx_residents *r) {
	for (unsigned i = 0; i < r->n; i++)
		mx_group_free(r->group[i]);
	mx_group_keep(r->spare);
	r->n = 0;
	r->spare = NULL;
}

/* A finding needs a workgroup; this one has no memory. */
static void refuse(struct mx_run *run, const char *what) {
	struct mx_kernel kernel = *run->launch->kernel;
	struct mx_launch launch = *run->launch;
	struct mx_run bare = *run;
	kernel.lds_bytes = kernel.scratch_bytes = kernel.preload_dwords = launch.dynamic_lds = 0;
	kernel.vgprs = kernel.agprs = 0;
	memset(launch.cluster, 0, sizeof launch.cluster);
	launch.kernel = &kernel;
	bare.launch = &launch;
	struct mx_group *g = mx_group_new(&bare);
	if (g) {
		mx_group_start(g, 0);
		mx_find(g->waves, NULL, MX_UNSUPPORTED, -1, 0, MX_BECAUSE_OF(REFUSED, what));
	}
	run->out_of_memory = !g || bare.out_of_memory;
	run->stopped = bare.stopped;
	mx_group_free(g);
}

/* The first workgroups run on one thread, which shows whether several threads pay: not if a
 * workgroup outlives its slice, because it may wait for another. */
static void run_all(struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	_Atomic uint64_t next = 0;
	struct mx_residents r = { .next = &next, .end = mx_run_groups(run) };
	bool may_use_threads = !mx_watch_one_thread(run) && !l->record && !l->n_workgroups &&
	                       mx_cluster_size(l) == 1;
	if (l->threads > 1 && may_use_threads) {
		mx_residents_run(&r, run, WARM_UP);
		run->threads = !r.n && atomic_load(&next) < r.end;
		if (run->threads)
			mx_parallel_run(run, &next, r.end);
	}
	mx_residents_run(&r, run, UINT64_MAX);
	for (unsigned i = 0; l->record && i < r.n; i++)
		mx_record_rest(r.group[i]);
	mx_residents_free(&r);
	mx_clusters_free(run);
}

/* Threads have records of their own, and a doorbell may change any memory. */
static void tell_stored(const struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	bool known = run->pages && !run->threads && !l->doorbell;
	for (size_t i = 0; l->stored && i < l->memory.n; i++)
		l->stored[i] = !known || run->pages[i].stored;
}

bool mx_launch_run(const struct mx_launch *launch, struct mx_report *report) {
	const struct mx_isa *isa = mx_program_isa(launch->program);
	struct mx_run run = { .launch = launch,
		              .report = report,
		              .isa = isa,
		              .stopped = report->stopped,
		              .most = mx_counts_most(isa),
		              .memory_streams = mx_memory_streams(isa),
		              .handlers = isa->handlers(),
		              .sgprs = launch->kernel->sgprs,
		              .pages = mx_pages_new(launch->memory.n),
		              .max_instructions = launch->max_instructions
		                                          ? launch->max_instructions
		                                          : 1ull << 33 };
	if (launch->time_limit > 0)
		run.deadline = mx_nanoseconds() + (uint64_t)(launch->time_limit * 1e9);
	mx_run_policy(&run);
	mx_observe(&run);
	const char *missing = mx_unsupported_state(launch);
	if (!report->stats.by_op)
		report->stats.by_op = calloc(isa->n_ops, sizeof *report->stats.by_op);
	report->isa = isa;
	if (!report->kernel)
		report->kernel = strdup(launch->kernel->name);
	if (!report->stats.by_op || !report->kernel) {
		mx_pages_free(run.pages, launch->memory.n);
		return false;
	}
	if (missing)
		refuse(&run, missing);
	else {
		const struct mx_wave_sync *sync = mx_program_wave_sync(
			launch->program, launch->kernel->entry - mx_program_base(launch->program));
		run.waves_synchronise = sync && sync->any;
		run.out_of_memory = !sync || !mx_cover(&run) || !mx_count_banks(&run) ||
		                    !mx_hazards_watch(&run) || !mx_race_watch(&run);
		mx_dependences_watch(&run);
		if (mx_watch_short_turns(&run))
			mx_run_short_turns(&run);
		run_all(&run);
	}
	mx_watch_launch_end(&run);
	tell_stored(&run);
	mx_pages_free(run.pages, launch->memory.n);
	return !run.out_of_memory;
}
