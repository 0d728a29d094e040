/* Shape fuzzing of a case: generations of trials on several threads. */
#include "shapes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/num/clock.h"
#include "../hunt/interrupt.h"

enum { GENERATION = 32, MAX_THREADS = 256 };

/* A trial of a generation, and its outcome. */
struct outcome {
	struct mx_trial trial;
	struct mx_verdict verdict;
	struct mx_coverage coverage[MX_MAX_STEPS];
	struct mx_error err;
	int status; /* of mx_trial_run */
	bool done;
};

struct generation {
	const struct mx_shapes *s;
	struct outcome *of; /* GENERATION */
	_Atomic unsigned next;
	unsigned n;
	double end; /* mx_seconds() at which no more trials begin, but for the first; 0: none */
};

/* ---- one generation ---- */

static bool is_over(const struct generation *g) {
	return mx_interrupted() || (g->next && g->end > 0 && mx_seconds() >= g->end);
}

static void *work(void *argument) {
	struct generation *g = argument;
	for (unsigned i; !is_over(g) && (i = g->next++) < g->n;) {
		struct outcome *o = &g->of[i];
		o->status = mx_trial_run(g->s, &o->trial, o->coverage, &o->verdict, &o->err);
		o->done = true;
	}
	return NULL;
}

static void run_all(struct generation *g, unsigned threads) {
	pthread_t thread[MAX_THREADS];
	bool started[MAX_THREADS] = { false };
	for (unsigned i = 1; i < threads && i < MAX_THREADS; i++)
		started[i] = !pthread_create(&thread[i], NULL, work, g);
	work(g);
	for (unsigned i = 1; i < threads && i < MAX_THREADS; i++)
		if (started[i])
			pthread_join(thread[i], NULL);
}

static void free_coverage(struct mx_coverage *steps) {
	for (unsigned i = 0; i < MX_MAX_STEPS; i++)
		mx_coverage_free(&steps[i]);
}

/* ---- outcomes, in the order of their numbers ---- */

static bool is_known(const struct mx_shapes *s, const char *kind) {
	for (unsigned i = 0; i < s->n_failures; i++)
		if (!strcmp(s->failure[i].kind, kind))
			return true;
	return false;
}

/* One failure of each kind is made small. */
static void note_failure(struct mx_shapes *s, const struct outcome *o) {
	const char *kind = mx_trial_kind(&o->verdict);
	if (!kind)
		return;
	if (!s->failing++)
		s->first_failing = s->trials;
	if (s->unsteered || is_known(s, kind) || s->n_failures == MX_MOST_FAILURES)
		return;
	struct mx_shape_failure *f = &s->failure[s->n_failures++];
	*f = (struct mx_shape_failure){ .trial = o->trial,
		                        .first = o->trial,
		                        .verdict = o->verdict };
	memcpy(f->kind, kind, strlen(kind) + 1);
	mx_trial_reduce(s, f);
}

/* Where the trial is: outside of the contract, of tiles, beyond the ceilings of 32 bits. */
static void note_place(struct mx_shapes *s, const struct mx_trial *t) {
	struct mx_plan p;
	struct mx_error why;
	if (mx_plan_make_run(s->c, &t->run, &p, &why))
		return;
	s->outside += p.outside;
	s->of_tiles += p.n_tiles != 0;
	for (unsigned i = 0; i < p.n_buffers; i++)
		for (unsigned k = 0; k < MX_CEILINGS; k++)
			s->beyond[i][k] += p.buffers[i].bytes > mx_buffer_ceiling(&p.buffers[i], k);
}

static int conclude(struct mx_shapes *s, struct outcome *o, struct mx_error *err) {
	if (o->status < 0)
		*err = o->err;
	if (o->status > 0 && !s->n_refused++)
		s->refused = o->err;
	if (o->status)
		return o->status < 0 ? -1 : 0;
	s->trials++;
	note_place(s, &o->trial);
	mx_shapes_reached(s, &o->trial);
	if (mx_steer_note(s, &o->trial, o->coverage, err))
		return -1;
	note_failure(s, o);
	return 0;
}

/* ---- all ---- */

/* Whether the first run may have tiles. */
static bool has_tiles(const struct mx_shapes *s) {
	struct mx_case_run run = { s->sizes, MX_REGIME_EXACT, s->variant, 1 };
	struct mx_plan p;
	struct mx_error why;
	return !mx_plan_make_run(s->c, &run, &p, &why);
}

int mx_shapes_begin(struct mx_shapes *s, struct mx_error *err) {
	if (!s->c->n_runs || !s->c->runs[0].sizes.n)
		return mx_fail(err, "%s: it has no sizes to draw", s->c->path);
	s->sizes = s->c->runs[0].sizes;
	mx_sizes_add_choices(s->c, &s->sizes);
	mx_shapes_borders(s);
	s->has_tiles = has_tiles(s);
	return 0;
}

void mx_shapes_free(struct mx_shapes *s) {
	mx_steer_free(s);
}

int mx_shapes_run(struct mx_shapes *s, unsigned long count, double seconds, struct mx_error *err) {
	struct outcome *of = calloc(GENERATION, sizeof *of);
	double end = seconds > 0 ? mx_seconds() + seconds : 0;
	unsigned long number = 0;
	int status = of ? 0 : mx_fail(err, "out of memory");
	while (!status && !mx_interrupted() && (!count || number < count) &&
	       (!end || mx_seconds() < end)) {
		struct generation g = { .s = s, .of = of, .end = end };
		for (; g.n < GENERATION && (!count || number < count); g.n++, number++) {
			memset(&of[g.n], 0, sizeof of[g.n]);
			mx_shapes_draw(s, number * s->shards + s->shard, &of[g.n].trial);
		}
		run_all(&g, s->threads);
		for (unsigned i = 0; i < g.n; i++) {
			if (!status && of[i].done)
				status = conclude(s, &of[i], err);
			free_coverage(of[i].coverage);
		}
	}
	free(of);
	if (!status && !s->trials && !mx_interrupted())
		status = mx_fail(err, "%s: no shape could be run: %s", s->c->path, s->refused.text);
	return status;
}
