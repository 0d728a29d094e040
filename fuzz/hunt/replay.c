/* Replays: an explicit schedule compared with the sequential schedule. */
#include "replay.h"

#include <inttypes.h>

enum {
	LEAST_LIMIT = 1 << 22, /* instructions of a wave before it counts as stuck */
	LIMIT = 64,            /* or this multiple of the sequential launch, if that is more */
	SEQUENTIAL_LIMIT = 1 << 28,
};

/* ---- the workgroups and waves of a schedule ---- */

static uint32_t most_waves(const struct mx_bench *b) {
	uint32_t most = 0;
	for (unsigned i = 0; i < mx_bench_plan(b)->n_steps; i++)
		most = mx_bench_waves(b, i) > most ? mx_bench_waves(b, i) : most;
	return most;
}

int mx_schedule_check(const struct mx_schedule *s, const struct mx_bench *b, struct mx_error *err) {
	const struct mx_plan *p = mx_bench_plan(b);
	if (s->first_wave >= most_waves(b))
		return mx_fail(err, "schedule: first=%" PRIu32 ": %s has waves 0 to %" PRIu32,
		               s->first_wave, p->name, most_waves(b) - 1);
	for (size_t i = 0; i < s->n; i++) {
		const struct mx_deviation *d = &s->deviations[i];
		if (d->launch >= p->n_steps)
			return mx_fail(err, "schedule: step %" PRIu32 ": %s has 1 to %u",
			               d->launch + 1, p->name, p->n_steps);
		const uint32_t *grid = p->steps[d->launch].grid;
		uint64_t groups = (uint64_t)grid[0] * grid[1] * grid[2];
		uint32_t waves = mx_bench_waves(b, d->launch);
		if (d->group >= groups)
			return mx_fail(err, "schedule: workgroup %" PRIu64 ": %s has 0 to %" PRIu64,
			               d->group, p->name, groups - 1);
		if (d->wave >= waves || (d->kind == MX_TURN && d->value >= waves))
			return mx_fail(err,
			               "schedule: wave %" PRIu64 " of workgroup %" PRIu64
			               ": %s has waves 0 to %" PRIu32,
			               d->wave >= waves ? d->wave : d->value, d->group, p->name,
			               waves - 1);
	}
	return 0;
}

/* ---- the comparison ---- */

struct mx_schedule mx_schedule_sequential(const struct mx_schedule *s) {
	return (struct mx_schedule){ .pattern = s->pattern, .odd = UINT64_MAX };
}

/* Of the step that has most. */
static uint64_t most_instructions(const struct mx_bench *b) {
	uint64_t most = 0;
	for (unsigned i = 0; i < mx_bench_plan(b)->n_steps; i++) {
		uint64_t n = mx_bench_report(b, i)->stats.instructions;
		most = n > most ? n : most;
	}
	return most;
}

int mx_limit_by_sequential(struct mx_bench *b, struct mx_error *err) {
	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	struct mx_run_result r;
	mx_bench_options(b)->instruction_limit = SEQUENTIAL_LIMIT;
	int status = mx_bench_run_as(b, &sequential, &r, err);
	/* One that does not end is no measure. */
	uint64_t most = status || r.failed ? LEAST_LIMIT : LIMIT * most_instructions(b);
	mx_bench_options(b)->instruction_limit = most > LEAST_LIMIT ? most : LEAST_LIMIT;
	return status;
}

static int compare(struct mx_bench *b, const struct mx_schedule *s,
                   const struct mx_schedule *sequential, struct mx_output *x,
                   struct mx_error *err) {
	struct mx_run_0 zero = { .failed = false };
	struct mx_run_result r;
	int status = mx_bench_run_as(b, sequential, &r, err);
	if (!status)
		status = mx_run_0_keep(&zero, b, &r, err);
	if (!status)
		status = mx_bench_run_as(b, s, &r, err);
	if (!status)
		*x = mx_run_0_compare(&zero, b, &r);
	mx_run_0_free(&zero);
	return status;
}

int mx_replay(struct mx_bench *b, const struct mx_schedule *s, struct mx_schedule *sequential,
              struct mx_output *x, struct mx_error *err) {
	*sequential = mx_schedule_sequential(s);
	int status = compare(b, s, sequential, x, err);
	if (status || x->outcome != MX_RUN_SAME || !s->pattern)
		return status;
	sequential->pattern = 0;
	return compare(b, s, sequential, x, err);
}
