/* Makes a failing trial small: the smallest sizes and plainest data with the same kind of failure.
 */
#include <string.h>

#include "../hunt/interrupt.h"
#include "shapes.h"

enum {
	SEEDS = 8, /* that are tried if the failure's own does not fail */
	REMAINDERS = 3,
	SCANNED = 128, /* values of a size of which one must have a plan */
};

bool mx_trial_still_fails(const struct mx_shapes *s, struct mx_shape_failure *f,
                          struct mx_trial *t) {
	struct mx_verdict v;
	struct mx_error err;
	const char *kind;
	if (mx_interrupted() || mx_trial_run(s, t, NULL, &v, &err) || !(kind = mx_trial_kind(&v)) ||
	    strcmp(kind, f->kind))
		return false;
	f->trial = *t;
	f->verdict = v;
	return true;
}

/* Fewer random numbers may lack the one that fails, so other seeds are tried. */
static bool fails_by_a_seed(const struct mx_shapes *s, struct mx_shape_failure *f,
                            struct mx_trial *t) {
	bool fails = mx_trial_still_fails(s, f, t);
	for (t->seed = 1; !fails && t->run.regime != MX_REGIME_EXACT && t->seed <= SEEDS; t->seed++)
		fails = mx_trial_still_fails(s, f, t);
	return fails;
}

static bool has_plan(const struct mx_shapes *s, const struct mx_trial *t) {
	struct mx_plan p;
	struct mx_error why;
	return !mx_plan_make_run(s->c, &t->run, &p, &why);
}

/* Sets a size to the least value with a plan, of the first few. */
static bool set_least(const struct mx_shapes *s, struct mx_trial *t, unsigned size) {
	const struct mx_borders *b = &s->borders[size];
	int64_t *value = &t->run.sizes.at[size].value;
	*value = b->n ? b->at[0].value : 1;
	for (unsigned i = 0; i < SCANNED && !b->is_choice; i++, *value += b->multiple)
		if (has_plan(s, t))
			return true;
	return false;
}

/* A choice may need another value of one other size. */
static bool try_choice(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned size,
                       int64_t v) {
	struct mx_trial t = f->trial;
	t.run.sizes.at[size].value = v;
	if (has_plan(s, &t))
		return fails_by_a_seed(s, f, &t);
	for (unsigned i = 0; i < t.run.sizes.n; i++) {
		struct mx_trial other = t;
		if (!mx_shapes_is_grouped(s, i) && set_least(s, &other, i) &&
		    fails_by_a_seed(s, f, &other))
			return true;
	}
	return false;
}

static bool reduce_choice(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned size) {
	int64_t now = f->trial.run.sizes.at[size].value;
	for (int64_t v = 0; v < now; v++)
		if (try_choice(s, f, size, v))
			return true;
	return false;
}

static bool try_size(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned size,
                     int64_t v) {
	struct mx_trial t = f->trial;
	if (v < 1 || v >= t.run.sizes.at[size].value)
		return false;
	t.run.sizes.at[size].value = v;
	return fails_by_a_seed(s, f, &t);
}

/* Tries other groups; M is their sum. */
static bool try_groups(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned M,
                       const struct mx_run_groups *g) {
	struct mx_trial t = f->trial;
	int64_t sum = 0;
	for (unsigned i = 0; i < g->n; i++)
		sum += g->rows[i];
	t.run.groups = *g;
	t.run.sizes.at[M].value = sum;
	return sum && mx_trial_still_fails(s, f, &t);
}

static bool try_rows(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned M, unsigned i,
                     int64_t rows) {
	struct mx_run_groups g = f->trial.run.groups;
	if (rows >= g.rows[i])
		return false;
	g.rows[i] = rows;
	return try_groups(s, f, M, &g);
}

/* Leaves out groups, then makes each smaller: to 0, 1, a border, or half the distance. */
static bool reduce_groups(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned M) {
	const struct mx_borders *b = &s->borders[M];
	const struct mx_run_groups *now = &f->trial.run.groups;
	bool smaller = false;
	for (unsigned i = now->n; i-- > 0;) {
		struct mx_run_groups g = *now;
		memmove(&g.rows[i], &g.rows[i + 1], (--g.n - i) * sizeof *g.rows);
		smaller |= g.n && try_groups(s, f, M, &g);
	}
	for (unsigned i = 0; i < now->n; i++) {
		int64_t passes = 0, half;
		bool least = try_rows(s, f, M, i, 0) || try_rows(s, f, M, i, 1);
		for (unsigned k = 0; k < b->n && !least; k++)
			least = try_rows(s, f, M, i, b->at[k].value);
		smaller |= least;
		while ((half = (passes + now->rows[i]) / 2) > passes)
			if (try_rows(s, f, M, i, half))
				smaller = true;
			else
				passes = half;
	}
	return smaller;
}

/* Tries borders in ascending order, and then few tiles with the same remainder. */
static bool to_small(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned size) {
	const struct mx_borders *b = &s->borders[size];
	int64_t now = f->trial.run.sizes.at[size].value;
	for (unsigned i = 0; i < b->n; i++)
		if (try_size(s, f, size, b->at[i].value))
			return true;
	for (int64_t i = 0; b->contract && b->contract->tile && i < REMAINDERS; i++)
		if (try_size(s, f, size, now % b->contract->tile + i * b->contract->tile))
			return true;
	return false;
}

/* Then halves the distance to the largest size that passes. */
static bool reduce_size(const struct mx_shapes *s, struct mx_shape_failure *f, unsigned size) {
	const struct mx_borders *b = &s->borders[size];
	int64_t begin = f->trial.run.sizes.at[size].value, passes = 0;
	if (b->is_choice)
		return reduce_choice(s, f, size);
	if (mx_shapes_is_grouped(s, size))
		return reduce_groups(s, f, size);
	to_small(s, f, size);
	for (;;) {
		int64_t now = f->trial.run.sizes.at[size].value;
		int64_t v = (passes + now) / 2 / b->multiple * b->multiple;
		if (v <= passes || v >= now)
			break;
		if (!try_size(s, f, size, v))
			passes = v;
	}
	return f->trial.run.sizes.at[size].value < begin;
}

/* A failure of a large shape that small ones do not have is put at a border. */
static bool reduce_large(const struct mx_shapes *s, struct mx_shape_failure *f) {
	for (unsigned i = 0; i < f->trial.run.sizes.n && f->trial.run.tiles; i++)
		if (!s->borders[i].is_choice && !mx_shapes_is_grouped(s, i))
			to_small(s, f, i);
	return mx_trial_to_border(s, f);
}

static void reduce_data(const struct mx_shapes *s, struct mx_shape_failure *f) {
	struct mx_trial t = f->trial;
	t.run.regime = MX_REGIME_EXACT;
	if (t.run.regime != f->trial.run.regime)
		mx_trial_still_fails(s, f, &t);
	t = f->trial;
	t.seed = 1;
	if (t.seed != f->trial.seed)
		mx_trial_still_fails(s, f, &t);
}

void mx_trial_reduce(const struct mx_shapes *s, struct mx_shape_failure *f) {
	reduce_data(s, f);
	bool smaller = !reduce_large(s, f);
	while (smaller) {
		smaller = false;
		for (unsigned i = 0; i < f->trial.run.sizes.n; i++)
			smaller |= reduce_size(s, f, i);
	}
	reduce_data(s, f);
	mx_trial_neighbours(s, f);
}
