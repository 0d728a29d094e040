/* Borders of failures: large shapes at which one buffer reaches a ceiling of 32 bits while all else
 * is small, and the neighbours of a failing shape that pass. */
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

enum {
	MOST_CANDIDATES = 512,
	MOST_RUNS = 64, /* of candidates */
};

struct candidate {
	struct mx_case_run run;
	unsigned crossed; /* ceilings, of all buffers */
	double bytes;     /* of all buffers */
};

struct candidates {
	const struct mx_shapes *s;
	struct candidate *at; /* MOST_CANDIDATES */
	unsigned n;
};

static void add(struct candidates *c, const struct mx_case_run *run) {
	struct mx_plan p;
	struct mx_error why;
	struct candidate *to = &c->at[c->n];
	if (c->n == MOST_CANDIDATES || mx_plan_make_run(c->s->c, run, &p, &why))
		return;
	*to = (struct candidate){ .run = *run };
	for (unsigned i = 0; i < p.n_buffers; i++) {
		to->bytes += (double)p.buffers[i].bytes;
		for (unsigned k = 0; k < MX_CEILINGS; k++)
			to->crossed += p.buffers[i].bytes >= mx_buffer_ceiling(&p.buffers[i], k);
	}
	c->n++;
}

/* The size just below a ceiling of a buffer, just above it, and a tile after it. */
static void add_far(struct candidates *c, const struct mx_case_run *run, unsigned size) {
	const struct mx_borders *b = &c->s->borders[size];
	int64_t tile = b->contract && b->contract->tile ? b->contract->tile : b->multiple;
	for (unsigned i = 0; i < c->s->c->n_buffers * MX_CEILINGS; i++) {
		struct mx_far f = { *run, size, i / MX_CEILINGS, i % MX_CEILINGS };
		int64_t far = mx_shapes_far(c->s, &f);
		const int64_t values[] = { far - b->multiple, far, far + tile };
		for (unsigned k = 0; far && k < sizeof values / sizeof *values; k++) {
			mx_shapes_set(c->s, &f.run, size, values[k]);
			if (values[k] > tile)
				add(c, &f.run);
		}
	}
}

/* All sizes are the least. */
static struct mx_case_run plainest(const struct mx_shapes *s, const struct mx_trial *t) {
	struct mx_case_run run = t->run;
	run.tiles = 0;
	for (unsigned i = 0; i < run.sizes.n; i++)
		mx_shapes_set(s, &run, i, s->borders[i].at[0].value);
	return run;
}

static int in_order(const void *a, const void *b) {
	const struct candidate *x = a, *y = b;
	if (x->crossed != y->crossed)
		return x->crossed < y->crossed ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static bool are_equal(const struct mx_sizes *a, const struct mx_sizes *b) {
	for (unsigned i = 0; i < a->n; i++)
		if (a->at[i].value != b->at[i].value)
			return false;
	return true;
}

/* Each size that may be large, and another one that is one value or one tile. */
static void find_candidates(struct candidates *c, const struct mx_trial *t) {
	const struct mx_shapes *s = c->s;
	for (unsigned size = 0; size < t->run.sizes.n; size++)
		for (unsigned other = 0; other < t->run.sizes.n; other++) {
			const struct mx_size_contract *k = s->borders[other].contract;
			struct mx_case_run run = plainest(s, t);
			if (other != size && k && k->axis)
				mx_shapes_set(s, &run, other, k->tile);
			if (other == size || (k && k->axis))
				add_far(c, &run, size);
		}
	qsort(c->at, c->n, sizeof *c->at, in_order);
}

bool mx_trial_to_border(const struct mx_shapes *s, struct mx_shape_failure *f) {
	struct candidates c = { .s = s, .at = malloc(MOST_CANDIDATES * sizeof *c.at) };
	bool found = false;
	if (c.at && s->has_tiles && f->trial.run.tiles)
		find_candidates(&c, &f->trial);
	for (unsigned i = 0, runs = 0; i < c.n && !found && runs < MOST_RUNS; i++) {
		struct mx_trial t = f->trial;
		if (i && are_equal(&c.at[i].run.sizes, &c.at[i - 1].run.sizes))
			continue;
		t.run.sizes = c.at[i].run.sizes;
		t.run.groups = c.at[i].run.groups;
		found = mx_trial_still_fails(s, f, &t);
		runs++;
	}
	free(c.at);
	return found;
}

/* ---- neighbours ---- */

static bool passes(const struct mx_shapes *s, struct mx_trial *t) {
	struct mx_verdict v;
	struct mx_error err;
	return !mx_trial_run(s, t, NULL, &v, &err) && !mx_trial_kind(&v);
}

/* With other data than exact ones a neighbour may pass by chance. */
void mx_trial_neighbours(const struct mx_shapes *s, struct mx_shape_failure *f) {
	if (f->trial.run.regime != MX_REGIME_EXACT)
		return;
	for (unsigned i = 0; i < f->trial.run.sizes.n; i++) {
		const struct mx_borders *b = &s->borders[i];
		struct mx_trial t = f->trial;
		int64_t v = t.run.sizes.at[i].value -= b->multiple;
		bool has_neighbour = !b->is_choice && !mx_shapes_is_grouped(s, i) && v > 0;
		f->passes[i] = has_neighbour && passes(s, &t) ? v : 0;
	}
}
