/* One run of a case: launch, judgement, replay or hunt. */
#include <stdio.h>
#include <string.h>

#include "../../fuzz/hunt/replay.h"
#include "../inspect/provenance_report.h"
#include "beside.h"
#include "gate.h"
#include "hunt_report.h"
#include "kernarg.h"
#include "save.h"

static int make_bench(const struct mx_gate *g, const struct mx_selected *s, struct mx_bench **b,
                      struct mx_error *err) {
	struct mx_plan plan;
	struct mx_case_run run = s->run;
	if (!g->device->emu) /* a real device runs whole grids */
		run.tiles = 0;
	if (mx_plan_make_run(s->c, &run, &plan, err))
		return -1;
	return mx_bench_make(&plan, g->device, g->o->code_object, g->kernel_dir, g->o->seed, b,
	                     err);
}

/* The run, with a trace if an option needs one. */
static int run_traced(const struct mx_gate *g, struct mx_bench *b, struct mx_run_result *run,
                      struct mx_error *err) {
	struct mx_trace *t;
	if (!mx_options_look(g->o))
		return mx_bench_run(b, g->o->seed, run, err);
	if (mx_trace_begin(b, &g->o->trace, &t, err))
		return -1;
	mx_bench_options(b)->observer = mx_trace_observer(t);
	int status = mx_bench_run(b, g->o->seed, run, err);
	mx_bench_options(b)->observer = NULL;
	if (!status)
		status = mx_trace_seen(t, err);
	mx_trace_end(t);
	return status;
}

/* Finds the instruction that wrote the first wrong byte. The run is done again with the same
 * analysis, which can change the schedule. */
static int find_origin(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	const struct mx_verdict *v = &r->verdict;
	if (!g->device->emu || !v->has_location)
		return 0;
	snprintf(r->origin_at, sizeof r->origin_at, "%s:%lld",
	         mx_bench_plan(b)->buffers[v->buffer].name, v->offset);
	uint64_t address = mx_bench_address(b, v->buffer) + (uint64_t)v->offset;
	return mx_who_line(b, g->o->seed, address, r->origin, sizeof r->origin, &r->err);
}

/* What the page of --html shows of a failure. Observed launches run on one thread, so those that
 * take long have no scene. */
static int find_scene(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	enum { MOST_SECONDS = 5 };
	r->maps = mx_bench_take_maps(b);
	if (!g->o->html || !g->device->emu || !mx_verdict_status(&r->verdict) ||
	    r->seconds > MOST_SECONDS)
		return 0;
	return mx_scene_find(b, g->o->seed, &r->verdict, r->maps ? &r->maps->at[0] : NULL,
	                     &r->scene, &r->err);
}

/* Faults that a wrong kernarg can cause. */
static bool has_wrong_numbers_or_fault(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (v->notes[i].severity == MX_WRONG_NUMBERS ||
		    v->notes[i].severity == MX_WRONG_DEVICE)
			return true;
	return false;
}

static int judge(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	struct mx_run_result run;
	if (run_traced(g, b, &run, &r->err))
		return -1;
	r->seconds = run.seconds;
	if (g->o->verbose)
		mx_report_details(b, r->details, sizeof r->details);
	if (g->o->save && !run.failed && !g->keeps_outputs && mx_save(b, g->o->save, &r->err))
		return -1;
	if (mx_bench_judge(b, &run, &r->verdict, &r->err))
		return -1;
	if (has_wrong_numbers_or_fault(&r->verdict))
		mx_check_kernarg(b, &r->verdict);
	if (g->keeps_outputs && !run.failed && !(r->outputs = mx_outputs_keep(b)))
		return mx_fail(&r->err, "%s: out of memory", r->run->name);
	if (g->emulated && mx_beside_compare(b, &g->emulated[r - g->results], r))
		return -1;
	if (find_origin(g, b, r) || find_scene(g, b, r))
		return -1;
	return g->o->who ? mx_who(b, g->o->seed, g->o->who, g->o->depth, &r->err) : 0;
}

/* The judged run is also analysed, for faults that the numbers do not show. */
static int judge_once(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	mx_bench_options(b)->analysis = g->o->analysis | (g->o->verbose ? MX_ANALYSE_BANKS : 0);
	int status = judge(g, b, r);
	mx_bench_options(b)->analysis = 0;
	return status;
}

/* Without a proof a case may pass only under this schedule. */
static void require_proof(struct mx_verdict *v) {
	char why[MX_LINE_ROOM] = "not analysed to the end";
	if (mx_verdict_status(v) || v->proof.outcome == MX_PROVED)
		return;
	if (v->proof.outcome == MX_NOT_PROVED)
		mx_verdict_doubt(v, why, sizeof why);
	mx_verdict_add(v, MX_WRONG_ORDER, "not-proved",
	               "passes without the proof that --require-proof needs: %s", why);
}

/* A replay exits as the hunt did: bytes that differ from the sequential schedule's, and that the
 * case does not allow, are nondeterminism. */
static int compare_with_sequential(const struct mx_gate *g, struct mx_bench *b,
                                   struct mx_result *r) {
	struct mx_schedule sequential;
	struct mx_output x;
	char where[320], other[64];
	bool set = r->run->c->verdict.judge == MX_JUDGE_SET;
	if (set && !mx_verdict_status(&r->verdict))
		return 0;
	if (mx_replay(b, &g->schedule, &sequential, &x, &r->err))
		return -1;
	if (x.outcome != MX_RUN_DIFFERS)
		return 0;
	snprintf(other, sizeof other, "under 'sequential,pattern=%02x'", sequential.pattern);
	mx_output_text(&x, mx_bench_plan(b), other, where, sizeof where);
	mx_verdict_add(&r->verdict, x.size ? MX_WRONG_ORDER : MX_WRONG_DEVICE, "nondeterminism",
	               "this schedule differs from the sequential one: %s", where);
	return 0;
}

static int begin_replay(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	if (mx_schedule_check(&g->schedule, b, &r->err) ||
	    (!g->schedule.typical && mx_limit_by_sequential(b, &r->err)))
		return -1;
	mx_bench_options(b)->schedule = &g->schedule;
	return 0;
}

/* Kernels that rely on latencies need not have the bytes of the sequential schedule. */
static int end_replay(const struct mx_gate *g, struct mx_bench *b, struct mx_result *r) {
	int status = g->schedule.typical ? 0 : compare_with_sequential(g, b, r);
	mx_bench_options(b)->instruction_limit = 0;
	return status;
}

/* A launch that took too long. */
static bool is_late(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, "time-out"))
			return true;
	return false;
}

/* A hunt begins with a judged run; run 0 of the hunt has the same schedule, and would not end
 * either. */
static void do_case(const struct mx_gate *g, struct mx_result *r) {
	struct mx_bench *b = NULL;
	int status = make_bench(g, r->run, &b, &r->err);
	if (!status && g->o->schedule)
		status = begin_replay(g, b, r);
	if (!status) {
		r->code_hash = mx_bench_codes_hash(b);
		r->code = mx_bench_codes(b);
		mx_bench_time_out(b, g->o->time_out > 0 ? g->o->time_out : MX_USUAL_TIME_OUT);
		status = judge_once(g, b, r);
	}
	if (!status && g->o->schedule)
		status = end_replay(g, b, r);
	if (!status && g->o->require_proof && g->device->emu)
		require_proof(&r->verdict);
	if (!status && g->o->race && !is_late(&r->verdict)) {
		/* The processes of a hunt on the emulator are stopped from outside. */
		mx_bench_time_out(b, g->device->emu ? 0 : g->o->time_out);
		status = mx_hunt(g->o, g->kernel_dir, b, r);
	}
	r->bad_input = status != 0;
	r->lost = g->device->lost;
	mx_bench_free(b);
}

/* A real device, in the first run of a worker. */
static int open_device(struct mx_gate *g, struct mx_error *err) {
	struct mx_device *d;
	struct mx_why why;
	if (g->device->hip)
		return 0;
	if (mx_device_open(g->device->name, &d, &why))
		return mx_fail(err, "device %s: %s", g->device->name, why.text);
	g->device = d;
	return 0;
}

void mx_gate_case(void *context, struct mx_result *r) {
	struct mx_gate *g = context;
	struct mx_error err;
	if (open_device(g, &r->err)) {
		r->bad_input = true;
		return;
	}
	if (!g->cache || !mx_cache_get(g->cache, r)) {
		do_case(g, r);
		if (g->cache && mx_cache_put(g->cache, r, &err))
			fprintf(stderr, "mxcheck: --cache: %s\n", err.text);
	}
}
