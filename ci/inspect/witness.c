/* The witness of a race: the provenance of the first wrong byte under the sequential schedule and
 * under the divergent one, their first difference, and the findings of the analysis of order for
 * the instructions there. */
#include "witness.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../fuzz/hunt/replay.h"
#include "provenance_report.h"

enum {
	MOST_RUNS = 3000,
	MOST_DEPTH = 64,   /* of chains */
	MOST_STEPS = 2000, /* in both chains; wider ones are followed no deeper */
};

/* ---- the first difference of two chains ---- */

struct chains {
	struct mx_chain sequential, here;
	int sequential_value, here_value; /* the first difference; -1: none */
};

/* The instructions at the difference: the reader, and the writers under both schedules. */
struct difference {
	uint64_t pc[3];
	unsigned launch[3];
	unsigned n;
};

static bool same_step(const struct mx_step *a, const struct mx_step *b) {
	return a->launch == b->launch && a->pc == b->pc && a->issue == b->issue &&
	       a->wave == b->wave && a->lane == b->lane && a->part == b->part &&
	       !memcmp(a->workgroup, b->workgroup, sizeof a->workgroup);
}

static int next_value(const struct mx_chain *c, int reader, int from) {
	for (int i = from; i < (int)c->n_values; i++)
		if (c->values[i].reader == reader)
			return i;
	return -1;
}

static bool differ(struct chains *c, int sequential, int here);

/* Values that the same instruction read, in the same order. */
static bool sources_differ(struct chains *c, int sequential, int here) {
	int a = next_value(&c->sequential, sequential, 0), b = next_value(&c->here, here, 0);
	for (; a >= 0 && b >= 0; a = next_value(&c->sequential, sequential, a + 1),
	                         b = next_value(&c->here, here, b + 1))
		if (differ(c, a, b))
			return true;
	return false;
}

static bool differ(struct chains *c, int sequential, int here) {
	const struct mx_value *a = &c->sequential.values[sequential], *b = &c->here.values[here];
	if (!a->wanted || !b->wanted)
		return false;
	if (a->writer >= 0 && b->writer >= 0 &&
	    same_step(&c->sequential.steps[a->writer], &c->here.steps[b->writer]))
		return c->sequential.steps[a->writer].depth < MOST_DEPTH &&
		       sources_differ(c, a->writer, b->writer);
	if (a->writer < 0 && b->writer < 0)
		return false;
	c->sequential_value = sequential;
	c->here_value = here;
	return true;
}

/* ---- as text ---- */

static void add_line(char *text, size_t room, const char *lead, const char *line) {
	size_t n = strlen(text);
	if (n < room)
		snprintf(text + n, room - n, "%s%s\n", lead, line);
}

/* The value that a reader gets, or that is in memory at the end, and its writer. */
static void writer_line(const struct mx_bench *b, const struct mx_chain *c, int value, char *text,
                        size_t room) {
	const struct mx_value *v = &c->values[value];
	bool read = v->reader >= 0;
	size_t n = (size_t)snprintf(text, room, read ? "gets " : "is ");
	if (v->known)
		n += (size_t)snprintf(text + n, room - n, "0x%08" PRIx32 ", ", v->data);
	if (v->writer < 0)
		snprintf(text + n, room - n, read ? "which is not yet written" : "not written");
	else {
		n += (size_t)snprintf(text + n, room - n, read ? "of " : "written by ");
		mx_step_text(b, &c->steps[v->writer], text + n, room - n);
	}
}

static void describe(const struct mx_bench *b, const struct chains *c, struct mx_result *r) {
	const struct mx_value *v = &c->here.values[c->here_value];
	char line[900], location[160];
	if (v->reader >= 0)
		mx_step_text(b, &c->here.steps[v->reader], line, sizeof line);
	else
		snprintf(line, sizeof line, "%s", mx_location_text(b, v->address, location));
	size_t n = strlen(line);
	if (v->where == MX_IN_LDS)
		snprintf(line + n, sizeof line - n, ", of LDS at byte %" PRIu64, v->address);
	else if (v->where == MX_IN_MEMORY && v->reader >= 0)
		snprintf(line + n, sizeof line - n, ", of %s",
		         mx_location_text(b, v->address, location));
	add_line(r->witness, sizeof r->witness, v->reader >= 0 ? "reader: " : "byte: ", line);
	writer_line(b, &c->sequential, c->sequential_value, line, sizeof line);
	add_line(r->witness, sizeof r->witness, "  sequential: ", line);
	writer_line(b, &c->here, c->here_value, line, sizeof line);
	add_line(r->witness, sizeof r->witness, "  here: ", line);
}

/* ---- the search ---- */

static int find_chain(struct mx_bench *b, const struct mx_schedule *s, uint64_t address,
                      unsigned depth, struct mx_chain *c, struct mx_error *err) {
	mx_bench_options(b)->schedule = s;
	int status = mx_chain_find(b, 0, address, 1, depth, c, err);
	mx_bench_options(b)->schedule = NULL;
	return status;
}

static void note_difference(const struct chains *c, struct difference *p) {
	const struct mx_value *a = &c->sequential.values[c->sequential_value];
	const struct mx_value *b = &c->here.values[c->here_value];
	const struct mx_step *steps[] = {
		b->reader < 0 ? NULL : &c->here.steps[b->reader],
		b->writer < 0 ? NULL : &c->here.steps[b->writer],
		a->writer < 0 ? NULL : &c->sequential.steps[a->writer],
	};
	p->n = 0;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i] && steps[i]->dwords) {
			p->launch[p->n] = steps[i]->launch;
			p->pc[p->n++] = steps[i]->pc;
		}
}

static int compare(struct mx_bench *b, const struct mx_witness *w, struct difference *p,
                   struct mx_result *r) {
	uint64_t address = mx_bench_address(b, w->buffer) + (uint64_t)w->offset;
	bool found = !w->placed;
	for (unsigned depth = 2; !found && depth <= MOST_DEPTH; depth *= 2) {
		struct chains c = { .sequential_value = -1 };
		int status = find_chain(b, &w->sequential, address, depth, &c.sequential, &r->err);
		if (!status)
			status = find_chain(b, &w->schedule, address, depth, &c.here, &r->err);
		found = !status && differ(&c, 0, 0);
		if (found) {
			describe(b, &c, r);
			note_difference(&c, p);
		}
		found |= c.sequential.n_steps + c.here.n_steps > MOST_STEPS;
		mx_chain_free(&c.sequential);
		mx_chain_free(&c.here);
		if (status)
			return -1;
	}
	return 0;
}

/* ---- the missing wait or barrier ---- */

/* The score of a finding: those that name instructions of the difference go first, and among equals
 * those that no earlier race explains. */
static unsigned fit(const struct mx_finding *f, unsigned launch, const struct difference *p) {
	unsigned score = 1;
	for (unsigned i = 0; i < p->n; i++)
		score += p->launch[i] == launch
		                 ? 2 * (f->pc == p->pc[i]) + 2 * (f->earlier == p->pc[i])
		                 : 0;
	return 2 * score - f->conditional;
}

/* A finding of a step. */
struct found {
	const struct mx_report *report;
	const struct mx_finding *f; /* NULL: none */
};

static struct found best_race(const struct mx_bench *b, const struct difference *p) {
	struct found best = { .f = NULL };
	unsigned most = 0;
	for (unsigned k = 0; k < mx_bench_plan(b)->n_steps; k++) {
		const struct mx_report *report = mx_bench_report(b, k);
		for (size_t i = 0; i < report->n_findings; i++) {
			const struct mx_finding *f = &report->findings[i];
			if (!mx_finding_is_race(f->kind) || fit(f, k, p) <= most)
				continue;
			best = (struct found){ report, f };
			most = fit(f, k, p);
		}
	}
	return best;
}

static struct found first_of_kind(const struct mx_bench *b, mx_finding_kind kind) {
	for (unsigned k = 0; k < mx_bench_plan(b)->n_steps; k++) {
		const struct mx_report *report = mx_bench_report(b, k);
		for (size_t i = 0; i < report->n_findings; i++)
			if (report->findings[i].kind == kind)
				return (struct found){ report, &report->findings[i] };
	}
	return (struct found){ .f = NULL };
}

static void add_finding(struct found found, const char *lead, struct mx_result *r) {
	const struct mx_finding *f = found.f;
	char line[720], lane[24] = "", text[512];
	if (!f)
		return;
	if (f->lane >= 0)
		snprintf(lane, sizeof lane, " lane %d", f->lane);
	snprintf(line, sizeof line, "%s: %s; workgroup %u,%u,%u wave %u%s",
	         mx_finding_name(f->kind), mx_finding_text(found.report, f, text, sizeof text),
	         f->workgroup[0], f->workgroup[1], f->workgroup[2], f->wave, lane);
	add_line(r->witness, sizeof r->witness, lead, line);
}

/* The analysis of order, on this schedule. */
static int order(struct mx_bench *b, const struct mx_witness *w, const struct difference *p,
                 struct mx_result *r) {
	struct mx_run_result run;
	struct mx_verdict v = { 0 };
	char proof[MX_LINE_ROOM];
	mx_bench_options(b)->analysis = MX_ANALYSE_ORDER;
	int status = mx_bench_run_as(b, &w->schedule, &run, &r->err);
	mx_bench_options(b)->analysis = 0;
	if (status)
		return -1;
	const struct found race = best_race(b, p);
	if (w->pattern_alone)
		add_finding(first_of_kind(b, MX_UNWRITTEN), "reader: ", r);
	add_finding(race, "order: ", r);
	mx_bench_order(b, &v);
	if (!race.f)
		add_line(r->witness, sizeof r->witness, "order: no finding; ",
		         v.proof.outcome == MX_NOT_ANALYSED
		                 ? "not analysed to the end"
		                 : mx_verdict_order(&v, proof, sizeof proof));
	return 0;
}

/* ---- the schedule ---- */

__attribute__((format(printf, 2, 3))) static void explain(struct mx_result *r, const char *format,
                                                          ...) {
	char line[200];
	va_list values;
	va_start(values, format);
	vsnprintf(line, sizeof line, format, values);
	va_end(values);
	add_line(r->witness, sizeof r->witness, "", line);
}

/* Explains the settings of the whole schedule, which are not decisions of a wave. */
static void explain_head(const struct mx_witness *w, struct mx_result *r) {
	const struct mx_schedule *s = &w->schedule;
	if (w->pattern_alone)
		explain(r,
		        "pattern=%02x: the contents of unwritten registers and LDS are enough, in "
		        "any order; sequential is pattern=00",
		        s->pattern);
	if (s->order == 1)
		explain(r, "order=1: workgroups begin in descending order");
	else if (s->order)
		explain(r, "order=%" PRIu32 ": workgroup %" PRIu32 " of 64 begins first", s->order,
		        s->order);
	if (s->slice)
		explain(r, "slice=%" PRIu64 ": workgroups take turns of this many instructions",
		        s->slice);
}

static void summarise(const struct mx_bench *b, const struct mx_witness *w, struct mx_result *r) {
	char line[800], location[160];
	if (!w->found) {
		add_line(r->witness, sizeof r->witness, "not shortened: ", w->why);
		return;
	}
	int n = snprintf(
		line, sizeof line,
		"%zu of %zu decisions are enough (%u runs) to differ from the sequential schedule "
		"with pattern=%02x",
		w->schedule.n, w->decisions, w->runs, w->sequential.pattern);
	if (w->placed)
		snprintf(line + n, sizeof line - (size_t)n, "; first wrong byte: %s",
		         mx_location_text(b, mx_bench_address(b, w->buffer) + (uint64_t)w->offset,
		                          location));
	add_line(r->witness, sizeof r->witness, "", line);
	explain_head(w, r);
	if (!w->placed)
		add_line(r->witness, sizeof r->witness,
		         w->sequential_fails ? "  sequential: ends in " : "  here: ends in ",
		         w->failure);
}

/* Shrinks the first run that fails or does not end, which sets the exit status; else the first that
 * differs from run 0; else run 0. One of them differs from the sequential schedule. */
static int shrink_one(const struct mx_options *o, struct mx_bench *b, struct mx_witness *w,
                      struct mx_result *r) {
	const uint64_t first = r->race.broken ? r->race.first_broken : r->race.first;
	const uint64_t seeds[] = { o->seed + first, o->seed };
	int status = 0;
	for (unsigned i = 0; !status && !w->found && i < 2; i++) {
		mx_schedule_free(&w->schedule);
		status = mx_shrink(b, seeds[i], MOST_RUNS, w, &r->err);
	}
	return status;
}

static int report(const struct mx_options *o, struct mx_bench *b, const struct mx_witness *w,
                  struct mx_result *r) {
	struct difference difference = { .n = 0 };
	summarise(b, w, r);
	if (!w->found)
		return 0;
	r->schedule = mx_schedule_text(&w->schedule);
	if (compare(b, w, &difference, r))
		return -1;
	return o->analysis & MX_ANALYSE_ORDER ? order(b, w, &difference, r) : 0;
}

/* The seconds that a run of the search may take: a run without an end would take all of the
 * time-out of the hunt. The analysis of order makes a run slower. */
static double longest(const struct mx_result *r) {
	enum { LEAST = 3, SLOWER = 30 };
	return fmin(r->race.time_out, fmax(LEAST, SLOWER * r->seconds));
}

int mx_witness_find(const struct mx_options *o, struct mx_bench *b, struct mx_result *r) {
	struct mx_witness w = { .found = false };
	mx_bench_time_out(b, longest(r));
	int status = mx_limit_by_sequential(b, &r->err);
	if (!status)
		status = shrink_one(o, b, &w, r);
	if (!status)
		status = report(o, b, &w, r);
	mx_schedule_free(&w.schedule);
	mx_bench_options(b)->instruction_limit = 0;
	mx_bench_time_out(b, 0);
	return status;
}
