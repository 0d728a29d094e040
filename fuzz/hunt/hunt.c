/* Race hunts: the same launch under many schedules, given to workers in batches and counted. */
#define _GNU_SOURCE
#include "hunt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY

#include "../../oracle/xxh3.h"
#include "../../ref/num/clock.h"
#include "build.h"
#include "interrupt.h"
#include "journal.h"
#include "ranges.h"
#include "tally.h"
#include "workers.h"

enum {
	MAX_LOST = 100, /* a hunt ends after this many runs that died or did not end */
	FIRST_BATCH = 2,
};

static const double batch_seconds = 0.1;

/* (1 - p)^n = 0.05, solved for p. */
double mx_race_rate_bound(unsigned long n) {
	return n ? -expm1(log(0.05) / (double)n) : 1;
}

struct hunt {
	struct mx_bench *bench;
	struct mx_race_options o;
	struct mx_race *race;
	struct mx_verdict *v;
	struct mx_run_0 zero;
	struct mx_ranges ranges;
	struct mx_tally tally;
	struct mx_hunt_journal *journal;
	struct mx_output diverged; /* the first divergent run */
	double start;
	bool over;
};

/* ---- ending early ---- */

static bool is_over(struct hunt *h) {
	if (mx_interrupted())
		h->race->interrupted = true;
	h->over |= mx_interrupted() ||
	           (h->o.seconds > 0 && mx_seconds() - h->start >= h->o.seconds) ||
	           h->race->crashes + h->race->timeouts >= MAX_LOST;
	return h->over;
}

/* A real device that has failed loses its context; the emulator goes on. */
static bool is_lost(const struct hunt *h) {
	const struct mx_device *d = mx_bench_device(h->bench);
	return d->lost || (h->race->faults && !d->emu);
}

/* ---- counting ---- */

/* Whether this result differs from run 0 in a way that is not allowed. */
static bool diverges(const struct hunt *h, const struct mx_output *x) {
	return x->outcome == MX_RUN_DIFFERS || (x->outcome == MX_RUN_FAULT && !h->zero.failed);
}

static void count_broken(struct hunt *h, const struct mx_output *x) {
	struct mx_race *race = h->race;
	if (x->outcome != MX_RUN_TIMEOUT && (x->outcome != MX_RUN_FAULT || h->zero.failed))
		return;
	if (!race->broken || x->first < race->first_broken)
		race->first_broken = x->first;
	race->broken += x->runs;
}

static void count_output(struct hunt *h, const struct mx_output *x) {
	struct mx_race *race = h->race;
	mx_tally_add(&h->tally, x);
	switch (x->outcome) {
	case MX_RUN_LEGAL: race->legal += x->runs; break;
	case MX_RUN_FAULT: race->faults += x->runs; break;
	case MX_RUN_CRASH: race->crashes += x->runs; break;
	case MX_RUN_TIMEOUT: race->timeouts += x->runs; break;
	default: break;
	}
	count_broken(h, x);
	if (x->outcome > MX_RUN_FAULT)
		race->unfinished += x->runs;
	if (!diverges(h, x))
		return;
	if (!race->divergent || x->first < race->first) {
		race->first = x->first;
		h->diverged = *x;
	}
	race->divergent += x->runs;
}

/* What surrounds a run, as the end of the sentence of a finding. */
static void add_variation(const struct hunt *h, uint64_t run, char text[300]) {
	char variation[256];
	mx_bench_variation(h->bench, h->o.first_schedule + run, variation, sizeof variation);
	snprintf(text, 300, "%s%s", variation[0] ? "; around it: " : "", variation);
}

static void note_lost(struct hunt *h, const struct mx_output *x) {
	uint64_t seed = h->o.first_schedule + x->first;
	char with[300];
	add_variation(h, x->first, with);
	if (x->outcome == MX_RUN_CRASH)
		mx_verdict_add(h->v, MX_WRONG_DEVICE, "crash",
		               "run %llu (--seed %llu): its process died of signal %lld (%s)%s",
		               (unsigned long long)x->first, (unsigned long long)seed,
		               (long long)x->cause, strsignal((int)x->cause), with);
	if (x->outcome == MX_RUN_TIMEOUT)
		mx_verdict_add(h->v, MX_WRONG_DEVICE, "time-out",
		               "run %llu (--seed %llu) took longer than %g s%s",
		               (unsigned long long)x->first, (unsigned long long)seed,
		               h->o.time_out, with);
}

static void count(void *context, const struct mx_batch *b) {
	struct hunt *h = context;
	struct mx_output same = { .hash = h->zero.hash, .runs = b->same, .first = b->first };
	h->race->runs += b->done;
	h->race->seconds += b->seconds;
	if (same.runs)
		count_output(h, &same);
	for (uint32_t i = 0; i < b->n_outputs; i++) {
		count_output(h, &b->outputs[i]);
		note_lost(h, &b->outputs[i]);
	}
	for (uint32_t i = 0; i < b->n_notes; i++)
		mx_verdict_add(h->v, b->notes[i].severity, b->notes[i].kind, "%s",
		               b->notes[i].text);
}

static void count_resumed(void *context, const struct mx_batch *b) {
	struct hunt *h = context;
	count(h, b);
	h->race->resumed += b->done;
	mx_ranges_done(&h->ranges, b->first, b->first + b->done);
}

/* ---- run 0 and the journal ---- */

static int resume(struct hunt *h, struct mx_error *err) {
	struct mx_hunt_identity is = { .build = mx_build_hash(mx_bench_device(h->bench)),
		                       .seed = XXH3_64bits_withSeed(&h->o.data_seed, 8,
		                                                    h->o.first_schedule),
		                       .run_0 = h->zero.hash };
	mx_bench_identity(h->bench, &is.setup, &is.code);
	int status = mx_hunt_journal_open(h->o.journal, &is, count_resumed, h, &h->journal, err);
	h->race->cut = !status && mx_hunt_journal_was_cut(h->journal);
	return status;
}

/* Counts a batch, even if it cannot be written to the journal. */
static void keep(struct hunt *h, const struct mx_batch *b) {
	if (!b->done)
		return;
	count(h, b);
	if (h->journal && !h->race->journal_error.text[0] &&
	    mx_hunt_journal_add(h->journal, b, &h->race->journal_error))
		h->over = true;
}

static uint64_t executed(const struct mx_bench *b, const char *name) {
	const struct mx_emu *emu = mx_bench_device(b)->emu;
	size_t i = 0, n = emu->op_count();
	while (i < n && strcmp(emu->op_name(i), name))
		i++;
	const uint64_t *by_op = mx_bench_report(b, 0)->stats.by_op;
	return i < n && by_op ? by_op[i] : 0;
}

/* 0 where the bound of a schedule's chance does not hold, as for several launches. */
static double instructions_of_group(const struct mx_bench *b) {
	const struct mx_plan *p = mx_bench_plan(b);
	const uint32_t *grid = p->steps[0].grid;
	double groups = (double)grid[0] * grid[1] * grid[2];
	if (!mx_bench_device(b)->emu || p->n_steps > 1 || executed(b, "s_sleep"))
		return 0;
	return ceil((double)mx_bench_report(b, 0)->stats.instructions / groups);
}

/* The limit is far above run 0, because schedules differ in their duration. */
static void limit_time(struct hunt *h, double sequential) {
	bool emu = mx_bench_device(h->bench)->emu != NULL;
	if (h->o.time_out <= 0 && emu)
		h->o.time_out = fmax(MX_LEAST_SECONDS, MX_SEQUENTIAL_RUNS * sequential);
	h->race->time_out = h->o.time_out;
}

static int run_0(struct hunt *h, struct mx_error *err) {
	struct mx_run_result r;
	struct mx_batch *b = calloc(1, sizeof *b);
	if (!b)
		return mx_fail(err, "out of memory");
	int status = mx_bench_run(h->bench, h->o.first_schedule, &r, err);
	if (!status) {
		h->race->instructions = instructions_of_group(h->bench);
		h->race->waves = mx_bench_waves(h->bench, 0);
		limit_time(h, r.seconds);
	}
	if (!status)
		status = mx_run_0_keep(&h->zero, h->bench, &r, err);
	if (!status && h->o.journal && !r.late)
		status = resume(h, err);
	if (!status && !h->race->runs && !h->o.first) {
		if (r.late)
			mx_batch_add_lost(b, MX_RUN_TIMEOUT, 0);
		else
			mx_batch_add(b, &h->o, &h->zero, h->bench, &r);
		mx_ranges_done(&h->ranges, 0, 1);
		keep(h, b);
	}
	free(b);
	return status;
}

/* ---- all runs ---- */

/* A journal of a whole hunt can hold more runs than this shard has. */
static uint64_t runs_left(const struct hunt *h) {
	uint64_t all = h->o.n - h->o.first;
	return all > h->race->runs ? all - h->race->runs : 0;
}

static uint64_t batch_size(const struct hunt *h, unsigned workers) {
	double each = h->race->seconds / (double)h->race->runs;
	uint64_t share = runs_left(h) / (4 * workers) + 1, n = MX_BATCH_RUNS;
	if (h->race->runs < MX_BATCH_RUNS)
		n = FIRST_BATCH;
	if (each * (double)n > batch_seconds)
		n = (uint64_t)(batch_seconds / each) + 1;
	return n < share ? n : share;
}

/* Gives runs to all idle workers; returns the number of busy ones. */
static unsigned give(struct hunt *h, struct mx_workers *w) {
	unsigned busy = 0, n = mx_workers_count(w);
	for (unsigned i = 0; i < n; i++) {
		struct mx_range r;
		if (mx_workers_idle(w, i) && !h->over &&
		    mx_ranges_take(&h->ranges, batch_size(h, n), h->o.n, &r))
			mx_workers_give(w, i, r.first, r.end - r.first);
		busy += !mx_workers_idle(w, i);
	}
	return busy;
}

static int run_all(struct hunt *h, struct mx_workers *w, struct mx_error *err) {
	bool stopping = false;
	int status = 0;
	while (!status && give(h, w)) {
		const struct mx_batch *b;
		unsigned which;
		status = mx_workers_wait(w, &which, &b, err);
		if (!status && b) {
			mx_ranges_put_back(&h->ranges, b->first + b->done, b->first + b->n);
			keep(h, b);
		}
		h->over |= is_lost(h);
		if (is_over(h) && !stopping) {
			mx_workers_stop(w);
			stopping = true;
		}
		if (h->o.progress)
			h->o.progress(h->o.context, h->race->runs, h->o.n - h->o.first);
		if (h->ranges.out_of_memory || h->tally.out_of_memory)
			status = mx_fail(err, "out of memory");
	}
	return status;
}

static void conclude(struct hunt *h) {
	struct mx_race *race = h->race;
	char where[320], with[300];
	if (h->zero.failed && !race->divergent)
		race->unfinished += race->faults;
	mx_tally_top(&h->tally, race->outputs);
	for (size_t i = 0; i < h->tally.room; i++)
		race->distinct +=
			h->tally.outputs[i].runs && h->tally.outputs[i].outcome <= MX_RUN_DIFFERS;
	if (!race->divergent)
		return;
	mx_output_text(&h->diverged, mx_bench_plan(h->bench), "in run 0", where, sizeof where);
	add_variation(h, race->first, with);
	mx_verdict_add(h->v, MX_WRONG_ORDER, "nondeterminism",
	               "%lu of %lu schedules differ from run 0, %u distinct results; run %lu: %s%s",
	               race->divergent, race->runs - race->unfinished, race->distinct, race->first,
	               where, with);
}

static int hunt(struct hunt *h, struct mx_error *err) {
	struct mx_workers *w = NULL;
	mx_ranges_done(&h->ranges, 0, h->o.first);
	int status = run_0(h, err);
	if (!status && runs_left(h))
		status = mx_workers_start(h->bench, &h->o, &h->zero, &w, err);
	if (!status && w && !is_lost(h))
		status = run_all(h, w, err);
	if (w)
		mx_workers_free(w);
	if (!status)
		conclude(h);
	return status;
}

int mx_race(struct mx_bench *b, const struct mx_race_options *o, struct mx_race *race,
            struct mx_verdict *v, struct mx_error *err) {
	struct hunt h = { .bench = b, .o = *o, .race = race, .v = v, .start = mx_seconds() };
	struct mx_handlers old;
	*race = (struct mx_race){ 0 };
	mx_interrupt_catch(&old);
	mx_bench_options(b)->repeats = 1;
	int status = hunt(&h, err);
	mx_bench_options(b)->repeats = 0;
	mx_interrupt_restore(&old);
	mx_hunt_journal_close(h.journal);
	mx_run_0_free(&h.zero);
	mx_tally_free(&h.tally);
	free(h.ranges.todo);
	return status;
}
