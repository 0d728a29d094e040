/* One trial: plan, launch and verdict. */
#include <string.h>

#include "shapes.h"

enum { MOST_INSTRUCTIONS = 1 << 24 }; /* of a wave: a trial is small */

/* M N K of a product, and the bytes of all buffers: a trial takes milliseconds. Of a run of tiles
 * few bytes are used, and the rest takes addresses only. */
static const double most_work = 0x1p26, most_bytes = 0x1p28;
static const double most_workgroups = 64; /* of a case that may have tiles, and no groups */
static const double most_work_of_tiles = 0x1p31, most_bytes_of_tiles = 0x1p38;

static double bytes_of(const struct mx_plan *p) {
	double bytes = 0;
	for (unsigned i = 0; i < p->n_buffers; i++)
		bytes += (double)p->buffers[i].bytes;
	return bytes;
}

/* Groups of columns are sums over their own rows. */
static double work_of_tiles(const struct mx_plan *p) {
	double work = 0;
	bool sums = p->groups.n && p->c->groups->of == MX_GROUPS_COLS;
	for (unsigned i = 0; i < p->n_tiles; i++) {
		const struct mx_tile *t = &p->tile[i];
		double depth = sums ? (double)p->groups.rows[t->group] : (double)p->K;
		work += (double)t->rows * (double)t->cols * depth;
	}
	return work;
}

static bool is_small(const struct mx_plan *p) {
	double work = 1;
	if (p->n_tiles)
		return bytes_of(p) <= most_bytes_of_tiles && work_of_tiles(p) <= most_work_of_tiles;
	for (unsigned i = 0; i < p->sizes.n; i++)
		work *= (double)p->sizes.at[i].value;
	return bytes_of(p) <= most_bytes && work <= most_work;
}

static double workgroups_of(const struct mx_plan *p) {
	const uint32_t *grid = p->steps[0].grid;
	return (double)grid[0] * (double)grid[1] * (double)grid[2];
}

/* A trial that is too large as a whole has tiles, and not the regime special, which plants results
 * in rows of the whole. */
static int make_plan(const struct mx_shapes *s, struct mx_trial *t, struct mx_plan *plan,
                     struct mx_error *err) {
	t->run.tiles = 0;
	if (mx_plan_make_run(s->c, &t->run, plan, err))
		return -1;
	bool many = s->has_tiles && !plan->groups.n && workgroups_of(plan) > most_workgroups;
	if (is_small(plan) && !many)
		return 0;
	if (s->has_tiles && t->run.regime == MX_REGIME_SPECIAL)
		t->run.regime = MX_REGIME_EXACT;
	t->run.tiles = s->has_tiles ? MX_TRIAL_TILES : 0;
	if (s->has_tiles && mx_plan_make_run(s->c, &t->run, plan, err))
		return -1;
	if (s->has_tiles && is_small(plan))
		return 0;
	return mx_fail(err, "%s is too large to fuzz", plan->name);
}

static int run(struct mx_bench *b, const struct mx_trial *t, struct mx_coverage *coverage,
               struct mx_verdict *v, struct mx_error *err) {
	struct mx_run_result r;
	struct mxhipLaunchOptions *o = mx_bench_options(b);
	o->analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES;
	o->instruction_limit = MOST_INSTRUCTIONS;
	o->own_memory = true; /* other threads have trials of their own */
	mx_bench_cover(b, coverage);
	return mx_bench_run(b, t->seed, &r, err) || mx_bench_judge(b, &r, v, err) ? -1 : 0;
}

int mx_trial_run(const struct mx_shapes *s, struct mx_trial *t, struct mx_coverage *coverage,
                 struct mx_verdict *v, struct mx_error *err) {
	struct mx_plan plan;
	struct mx_bench *b = NULL;
	memset(v, 0, sizeof *v);
	if (make_plan(s, t, &plan, err))
		return 1;
	if (mx_bench_make(&plan, s->device, s->code_object, s->kernel_dir, t->seed, &b, err))
		return 1;
	int status = run(b, t, coverage, v, err);
	mx_bench_free(b);
	return status;
}

const char *mx_trial_kind(const struct mx_verdict *v) {
	int worst = mx_verdict_status(v);
	for (unsigned i = 0; worst && i < v->n_notes; i++)
		if ((int)v->notes[i].severity == worst)
			return v->notes[i].kind;
	return NULL;
}
