/* The shortest schedule that still diverges: the decisions of a seed that differ from the
 * sequential schedule, without those that are not needed [Zeller and Hildebrandt, "Simplifying and
 * Isolating Failure-Inducing Input": ddmin]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/num/clock.h"
#include "replay.h"

struct shrink {
	struct mx_bench *b;
	struct mx_witness *w;
	struct mx_run_0 sequential;
	bool fails; /* the seed's run fails, with this finding of this step */
	unsigned step;
	mx_finding_kind kind;
	uint64_t pc;
	unsigned max_runs;
	double end;
	struct mx_error *err;
	int status;
};

static bool is_over(const struct shrink *s) {
	return s->status || s->w->runs >= s->max_runs || mx_seconds() >= s->end;
}

/* The finding that stopped the last run, and its step; or NULL. */
static const struct mx_finding *stop_of(const struct shrink *s, unsigned *step) {
	for (*step = 0; *step < mx_bench_plan(s->b)->n_steps; ++*step) {
		const struct mx_report *report = mx_bench_report(s->b, *step);
		for (size_t i = report->n_findings; report->stopped && i--;)
			if (mx_finding_class_of(report->findings[i].kind) == MX_FINDING_DEVICE)
				return &report->findings[i];
	}
	return NULL;
}

/* Endless waves may be stopped at any instruction of their loops. */
static bool fails_alike(const struct shrink *s) {
	unsigned step;
	const struct mx_finding *f = stop_of(s, &step);
	return f && step == s->step && f->kind == s->kind &&
	       (f->pc == s->pc || f->kind == MX_STUCK);
}

/* Whether the run under a schedule fails as the seed's did, or leaves other bytes than the
 * sequential one. */
static bool diverges(struct shrink *s, const struct mx_schedule *schedule) {
	struct mx_run_result r;
	if (is_over(s))
		return false;
	s->w->runs++;
	s->status = mx_bench_run_as(s->b, schedule, &r, s->err);
	if (s->status || s->fails)
		return !s->status && r.failed && fails_alike(s);
	return !r.failed && (s->sequential.failed || mx_bench_hash(s->b) != s->sequential.hash);
}

/* ---- deviations ---- */

/* Drops deviations [from, to) if the schedule still diverges without them; true if so. */
static bool without(struct shrink *s, struct mx_deviation *spare, size_t from, size_t to) {
	struct mx_schedule *all = &s->w->schedule, less = *all;
	less.deviations = spare;
	less.n = all->n - (to - from);
	memcpy(spare, all->deviations, from * sizeof *spare);
	memcpy(spare + from, all->deviations + to, (all->n - to) * sizeof *spare);
	if (!diverges(s, &less))
		return false;
	memcpy(all->deviations, spare, less.n * sizeof *spare);
	all->n = less.n;
	return true;
}

/* Drops parts of a size, then of half that size, down to single deviations until none can go. */
static void leave_out(struct shrink *s, struct mx_deviation *spare) {
	struct mx_schedule *all = &s->w->schedule;
	size_t part = all->n ? all->n : 1;
	for (bool any = false;; any = false) {
		for (size_t from = 0; from < all->n;) {
			size_t to = from + part < all->n ? from + part : all->n;
			if (without(s, spare, from, to))
				any = true;
			else
				from = to;
		}
		if (part == 1 && !any)
			return;
		part = part > 1 ? part / 2 : 1;
		if (is_over(s))
			return;
	}
}

/* ---- settings of the whole schedule, and values of deviations ---- */

static void simplify(struct shrink *s) {
	struct mx_schedule *all = &s->w->schedule;
	struct mx_schedule one = *all;
	one.order = 0;
	one.slice = 0;
	if (diverges(s, &one)) {
		*all = one;
		return;
	}
	one = *all;
	one.slice = 0;
	if (all->slice && diverges(s, &one))
		*all = one;
}

/* Drops the ranks of operations that land at one clock, if the order does not matter. */
static void forget_ranks(struct shrink *s) {
	struct mx_schedule *all = &s->w->schedule;
	for (size_t i = 0; i < all->n; i++) {
		struct mx_deviation *d = &all->deviations[i];
		uint32_t kept = d->turn;
		if (d->kind != MX_DELAY || !kept)
			continue;
		d->turn = 0;
		if (!diverges(s, all))
			d->turn = kept;
	}
}

/* Shortens delays by bisection. */
static void shorten(struct shrink *s) {
	struct mx_schedule *all = &s->w->schedule;
	for (size_t i = 0; i < all->n; i++) {
		struct mx_deviation *d = &all->deviations[i];
		uint64_t low = 0;
		while (d->kind == MX_DELAY && d->value - low > 1 && !is_over(s)) {
			uint64_t kept = d->value, middle = low + (kept - low) / 2;
			d->value = middle;
			if (!diverges(s, all)) {
				d->value = kept;
				low = middle;
			}
		}
	}
}

/* ---- the sequential schedule ---- */

static void note_failure(struct shrink *s) {
	unsigned step;
	const struct mx_finding *f = stop_of(s, &step);
	char text[512];
	if (f)
		snprintf(s->w->failure, sizeof s->w->failure, "%s: %s", mx_finding_name(f->kind),
		         mx_finding_text(mx_bench_report(s->b, step), f, text, sizeof text));
}

static int keep_sequential(struct shrink *s) {
	struct mx_run_result r;
	mx_run_0_free(&s->sequential);
	if (mx_bench_run_as(s->b, &s->w->sequential, &r, s->err))
		return -1;
	s->w->sequential_fails = r.failed;
	if (r.failed)
		note_failure(s);
	return mx_run_0_keep(&s->sequential, s->b, &r, s->err);
}

/* Finds the first byte that differs, if both runs leave bytes. */
static int locate(struct shrink *s) {
	struct mx_run_result r;
	if (mx_bench_run_as(s->b, &s->w->schedule, &r, s->err))
		return -1;
	struct mx_output x = mx_run_0_compare(&s->sequential, s->b, &r);
	s->w->placed = x.outcome == MX_RUN_DIFFERS && x.size;
	s->w->buffer = x.buffer;
	if (s->w->placed) /* the byte in the element */
		s->w->offset = x.offset + __builtin_ctzll(x.here ^ x.there) / 8;
	if (r.failed)
		note_failure(s);
	return 0;
}

/* ---- the search ---- */

static int record(struct shrink *s, uint64_t seed) {
	struct mx_run_result r;
	mx_bench_options(s->b)->record = &s->w->schedule;
	int status = mx_bench_run(s->b, seed, &r, s->err);
	mx_bench_options(s->b)->record = NULL;
	const struct mx_finding *f = status ? NULL : stop_of(s, &s->step);
	s->fails = f != NULL;
	s->kind = f ? f->kind : MX_FINDINGS;
	s->pc = f ? f->pc : 0;
	mx_schedule_sort(&s->w->schedule);
	s->w->decisions = s->w->schedule.n;
	s->w->sequential = mx_schedule_sequential(&s->w->schedule);
	return status;
}

static int reduce(struct shrink *s) {
	struct mx_schedule *all = &s->w->schedule;
	struct mx_deviation *spare = malloc((all->n + 1) * sizeof *spare);
	if (!spare)
		return mx_fail(s->err, "out of memory");
	simplify(s);
	leave_out(s, spare);
	forget_ranks(s);
	shorten(s);
	free(spare);
	return s->status;
}

/* Whether the contents of unwritten registers and LDS are enough, in any order. */
static bool pattern_alone(struct shrink *s) {
	struct mx_witness *w = s->w;
	struct mx_schedule sequential = w->sequential;
	w->sequential.pattern = 0;
	s->status = keep_sequential(s);
	if (!diverges(s, &sequential))
		return false;
	w->schedule.n = w->schedule.order = 0;
	w->schedule.slice = 0;
	return w->pattern_alone = true;
}

static int search(struct shrink *s, uint64_t seed) {
	struct mx_witness *w = s->w;
	if (record(s, seed) || keep_sequential(s))
		return -1;
	if (diverges(s, &w->schedule))
		w->found = !reduce(s);
	else
		w->found = pattern_alone(s);
	if (!w->found)
		w->why = "its decisions, as an explicit schedule, leave the bytes of the "
			 "sequential one";
	return s->status ? s->status : w->found ? locate(s) : 0;
}

int mx_shrink(struct mx_bench *b, uint64_t seed, unsigned max_runs, struct mx_witness *w,
              struct mx_error *err) {
	struct shrink s = { .b = b,
		            .w = w,
		            .max_runs = max_runs,
		            .end = mx_seconds() + MX_SHRINK_SECONDS,
		            .err = err };
	*w = (struct mx_witness){ .schedule.odd = UINT64_MAX };
	int status = search(&s, seed);
	mx_run_0_free(&s.sequential);
	return status;
}
