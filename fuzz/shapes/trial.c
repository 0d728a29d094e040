/* One trial: plan, launch and verdict. */
#include <string.h>

#include "shapes.h"

enum { MOST_INSTRUCTIONS = 1 << 24 }; /* of a wave: a trial is small */

static const double most_work = 0x1p26, most_bytes = 0x1p28;

/* M N K of a product, and the bytes of all buffers: a trial takes milliseconds. */
static bool is_small(const struct mx_plan *p) {
	double bytes = 0, work = 1;
	for (unsigned i = 0; i < p->n_buffers; i++)
		bytes += (double)p->buffers[i].bytes;
	for (unsigned i = 0; i < p->sizes.n; i++)
		work *= (double)p->sizes.at[i].value;
	return bytes <= most_bytes && work <= most_work;
}

static int run(struct mx_bench *b, const struct mx_trial *t, struct mx_coverage *coverage,
               struct mx_verdict *v, struct mx_error *err) {
	struct mx_run_result r;
	struct mxhipLaunchOptions *o = mx_bench_options(b);
	o->analysis = MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES;
	o->instruction_limit = MOST_INSTRUCTIONS;
	o->coverage = coverage;
	return mx_bench_run(b, t->seed, &r, err) || mx_bench_judge(b, &r, v, err) ? -1 : 0;
}

int mx_trial_run(const struct mx_shapes *s, const struct mx_trial *t, struct mx_coverage *coverage,
                 struct mx_verdict *v, struct mx_error *err) {
	struct mx_plan plan;
	struct mx_bench *b = NULL;
	memset(v, 0, sizeof *v);
	if (mx_plan_make_run(s->c, &t->run, &plan, err))
		return 1;
	if (!is_small(&plan)) {
		mx_fail(err, "%s is too large to fuzz", plan.name);
		return 1;
	}
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
