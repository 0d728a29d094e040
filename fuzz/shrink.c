/* The shortest schedule that still diverges: what a seed decided otherwise than the calm schedule,
 * with everything left out that is not needed [Zeller and Hildebrandt, "Simplifying and Isolating
 * Failure-Inducing Input": ddmin]. */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

struct shrink {
	struct mx_bench *b;
	struct mx_witness *w;
	uint64_t calm; /* hash of what the calm schedule leaves */
	bool calm_failed;
	unsigned max_runs;
	struct mx_error *err;
	int status;
};

/* Whether the run under a schedule leaves other bytes than the calm one. */
static bool diverges(struct shrink *s, const struct mx_schedule *schedule) {
	struct mx_run_result r;
	if (s->status || s->w->runs >= s->max_runs)
		return false;
	s->w->runs++;
	s->status = mx_bench_run_as(s->b, schedule, &r, s->err);
	return !s->status && (r.failed != s->calm_failed || (!r.failed && r.hash != s->calm));
}

/* ---- deviations ---- */

/* The schedule without deviations [from, to); true where that is enough, and it is kept. */
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

/* Leaves out parts of a size, then of half of it, down to single ones until none can go. */
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
		if (s->status || s->w->runs >= s->max_runs)
			return;
	}
}

/* ---- what is said once for the whole schedule ---- */

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

/* What lands before what at one clock, where that matters. */
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

/* Delays that are no longer than they need be: half, a quarter ... of what they were. */
static void shorten(struct shrink *s) {
	struct mx_schedule *all = &s->w->schedule;
	for (size_t i = 0; i < all->n; i++) {
		struct mx_deviation *d = &all->deviations[i];
		uint64_t low = 0;
		while (d->kind == MX_DELAY && d->value - low > 1 && s->w->runs < s->max_runs) {
			uint64_t kept = d->value, middle = low + (kept - low) / 2;
			d->value = middle;
			if (!diverges(s, all)) {
				d->value = kept;
				low = middle;
			}
		}
	}
}

/* ---- the first difference ---- */

static int keep_calm(struct shrink *s, uint8_t *copies[MX_MAX_BUFFERS]) {
	struct mx_schedule calm = s->w->schedule;
	struct mx_run_result r;
	calm.deviations = NULL;
	calm.n = 0;
	calm.order = 0;
	calm.slice = 0;
	calm.pattern = 0;
	if (mx_bench_run_as(s->b, &calm, &r, s->err))
		return -1;
	s->calm = r.hash;
	s->calm_failed = r.failed;
	for (unsigned i = 0; !r.failed && i < mx_bench_plan(s->b)->n_buffers; i++) {
		size_t bytes;
		const uint8_t *now = mx_bench_bytes(s->b, i, &bytes);
		if (!(copies[i] = malloc(bytes)))
			return mx_fail(s->err, "out of memory");
		memcpy(copies[i], now, bytes);
	}
	return 0;
}

static int place(struct shrink *s, uint8_t *const copies[MX_MAX_BUFFERS]) {
	const struct mx_plan *p = mx_bench_plan(s->b);
	struct mx_run_result r;
	if (mx_bench_run_as(s->b, &s->w->schedule, &r, s->err))
		return -1;
	for (unsigned i = 0; !r.failed && i < p->n_buffers; i++) {
		size_t bytes, at = 0;
		const uint8_t *now = mx_bench_bytes(s->b, i, &bytes);
		if (!copies[i] || !memcmp(now, copies[i], bytes))
			continue;
		while (now[at] == copies[i][at])
			at++;
		s->w->buffer = i;
		s->w->offset = (int64_t)at - (int64_t)p->buffers[i].guard;
		return 0;
	}
	s->w->found = false;
	s->w->why = "the device fails under it, and leaves no bytes to compare";
	return 0;
}

/* ---- all of it ---- */

static int record(struct shrink *s, uint64_t seed) {
	const struct mx_emu *emu = mx_bench_device(s->b)->emu;
	struct mx_run_result r;
	emu->record_schedule(&s->w->schedule);
	int status = mx_bench_run(s->b, seed, &r, s->err);
	emu->record_schedule(NULL);
	mx_schedule_sort(&s->w->schedule);
	s->w->decisions = s->w->schedule.n;
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

int mx_shrink(struct mx_bench *b, uint64_t seed, unsigned max_runs, struct mx_witness *w,
              struct mx_error *err) {
	struct shrink s = { .b = b, .w = w, .max_runs = max_runs, .err = err };
	uint8_t *copies[MX_MAX_BUFFERS] = { NULL };
	*w = (struct mx_witness){ .schedule.odd = UINT64_MAX };
	int status = record(&s, seed);
	if (!status)
		status = keep_calm(&s, copies);
	if (!status && !diverges(&s, &w->schedule))
		w->why = "its decisions, said outright, leave the calm schedule's bytes";
	else if (!status && !(status = reduce(&s))) {
		w->found = true;
		status = place(&s, copies);
	}
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++)
		free(copies[i]);
	return status ? status : s.status;
}
