/* mxcheck: runs cases on a device, judges and reports them; starts the other commands. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../cases/depends.h"
#include "../../cases/files.h"
#include "../../fuzz/hunt/replay.h"
#include "../../ref/num/cpu.h"
#include "../inspect/provenance_report.h"
#include "../reports/github.h"
#include "../reports/history.h"
#include "../reports/html.h"
#include "../reports/json.h"
#include "../reports/junit.h"
#include "../reports/report_file.h"
#include "../reports/sarif.h"
#include "baseline.h"
#include "cache.h"
#include "change.h"
#include "command.h"
#include "expect.h"
#include "fuzz.h"
#include "hunt_report.h"
#include "mutate.h"
#include "output.h"
#include "pool.h"
#include "progress.h"
#include "report.h"
#include "result.h"
#include "save.h"
#include "terminal.h"
#include "waivers.h"

enum { BAD_INPUT = 2, NOTHING_RAN = 77 };

/* The data that the threads share. */
struct gate {
	const struct mx_options *o;
	struct mx_device *device;
	const char *kernel_dir;
	struct mx_schedule schedule;  /* --schedule */
	struct mx_json *json;         /* --json, or NULL */
	struct mx_history *history;   /* --history, or NULL */
	struct mx_places *places;     /* of findings, for reports */
	struct mx_baseline *baseline; /* --baseline, or NULL */
	struct mx_cache *cache;       /* --cache, or NULL */
	struct mx_expect *expect;     /* --expect, or NULL */
	struct mx_selection selection;
	struct mx_result *results;
	bool *done;
	size_t next, printed, n_done;
	double start;
	bool interrupted; /* some runs were not done */
	size_t stale;     /* rows of --expect */
	pthread_mutex_t lock;
};

/* ---- one case ---- */

static int make_bench(const struct gate *g, const struct mx_selected *s, struct mx_bench **b,
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
static int run_traced(const struct gate *g, struct mx_bench *b, struct mx_run_result *run,
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
static int find_origin(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
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
static int find_scene(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
	enum { MOST_SECONDS = 5 };
	r->map = mx_bench_take_map(b);
	if (!g->o->html || !g->device->emu || !mx_verdict_status(&r->verdict) ||
	    r->seconds > MOST_SECONDS)
		return 0;
	return mx_scene_find(b, g->o->seed, &r->verdict, r->map, &r->scene, &r->err);
}

static int judge(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
	struct mx_run_result run;
	if (run_traced(g, b, &run, &r->err))
		return -1;
	r->seconds = run.seconds;
	if (g->o->verbose)
		mx_report_details(b, r->details, sizeof r->details);
	if (g->o->save && !run.failed && mx_save(b, g->o->save, &r->err))
		return -1;
	if (mx_bench_judge(b, &run, &r->verdict, &r->err) || find_origin(g, b, r) ||
	    find_scene(g, b, r))
		return -1;
	return g->o->who ? mx_who(b, g->o->seed, g->o->who, g->o->depth, &r->err) : 0;
}

/* The judged run is also analysed, for faults that the numbers do not show. */
static int judge_once(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
	mx_bench_options(b)->analysis = g->o->analysis;
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
static int compare_with_sequential(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
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

static int begin_replay(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
	if (mx_schedule_check(&g->schedule, mx_bench_plan(b), &r->err) ||
	    (!g->schedule.typical && mx_limit_by_sequential(b, &r->err)))
		return -1;
	mx_bench_options(b)->schedule = &g->schedule;
	return 0;
}

/* Kernels that rely on latencies need not have the bytes of the sequential schedule. */
static int end_replay(const struct gate *g, struct mx_bench *b, struct mx_result *r) {
	int status = g->schedule.typical ? 0 : compare_with_sequential(g, b, r);
	mx_bench_options(b)->instruction_limit = 0;
	return status;
}

/* A hunt begins with a judged run; run 0 of the hunt has the same schedule. */
static void do_case(const struct gate *g, struct mx_result *r) {
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
	if (!status && g->o->require_proof)
		require_proof(&r->verdict);
	if (!status && g->o->race && !g->device->lost) {
		/* The processes of a hunt on the emulator are stopped from outside. */
		mx_bench_time_out(b, g->device->emu ? 0 : g->o->time_out);
		status = mx_hunt(g->o, g->kernel_dir, b, r);
	}
	r->bad_input = status != 0;
	mx_bench_free(b);
}

static void run_case(void *context, struct mx_result *r) {
	const struct gate *g = context;
	struct mx_error err;
	if (!g->cache || !mx_cache_get(g->cache, r)) {
		do_case(g, r);
		if (g->cache && mx_cache_put(g->cache, r, &err))
			fprintf(stderr, "mxcheck: --cache: %s\n", err.text);
	}
}

/* ---- all cases: in parallel, printed in order; hunts follow each other ---- */

static struct mx_record record_of(const struct gate *g, double seconds) {
	return (struct mx_record){
		.o = g->o,
		.d = g->device,
		.results = g->results,
		.n = g->selection.n_runs,
		.selection = &g->selection,
		.expect = g->expect,
		.places = g->places,
		.seconds = seconds,
	};
}

static void print_ready(struct gate *g) {
	const struct mx_record record = record_of(g, 0);
	mx_progress_clear();
	while (g->printed < g->selection.n_runs && g->done[g->printed]) {
		mx_report_result(g->o, g->device, g->results, g->selection.n_runs, g->printed);
		if (g->json)
			mx_json_run(g->json, &record, &g->results[g->printed]);
		if (g->history)
			mx_history_run(g->history, &g->results[g->printed]);
		g->printed++;
	}
}

/* After a run, also one from the cache: the baseline and the expected failures may have changed. */
static void end_case(void *context, size_t i) {
	struct gate *g = context;
	struct mx_result *r = &g->results[i];
	if (!r->bad_input && g->baseline)
		mx_baseline_compare(g->baseline, r->run, &r->verdict);
	if (!r->bad_input && g->expect)
		mx_expect_compare(g->expect, g->device->arch, r);
	g->done[i] = true;
	g->n_done++;
	print_ready(g);
	if (!g->o->race)
		mx_progress_show(g->n_done, g->selection.n_runs, mx_seconds() - g->start);
}

static void *work(void *argument) {
	struct gate *g = argument;
	for (;;) {
		pthread_mutex_lock(&g->lock);
		size_t i = mx_output_is_lost() ? g->selection.n_runs : g->next++;
		pthread_mutex_unlock(&g->lock);
		if (i >= g->selection.n_runs)
			return NULL;
		run_case(g, &g->results[i]);
		pthread_mutex_lock(&g->lock);
		end_case(g, i);
		if (g->results[i].race.interrupted || g->device->lost)
			g->selection.n_runs = i + 1; /* hunts run in one thread */
		pthread_mutex_unlock(&g->lock);
	}
}

/* Threads for each of `at_once` jobs that run at the same time. */
static unsigned share(const struct gate *g, size_t at_once) {
	return at_once && at_once < g->o->jobs ? g->o->jobs / (unsigned)at_once : 1;
}

/* Threads without a case of their own help inside launches and judges. */
static void share_threads(const struct gate *g) {
	g->device->threads = share(g, g->o->race ? g->o->race : g->selection.n_runs);
	mx_judge_threads(share(g, g->o->race ? 1 : g->selection.n_runs));
}

static void run_in_threads(struct gate *g, unsigned jobs) {
	pthread_t threads[1024];
	bool started[1024] = { false };
	for (unsigned j = 1; j < jobs; j++)
		started[j] = !pthread_create(&threads[j], NULL, work, g);
	work(g);
	for (unsigned j = 1; j < jobs; j++)
		if (started[j])
			pthread_join(threads[j], NULL);
}

/* Leaves the runs that have a result. */
static void drop_unfinished(struct gate *g) {
	size_t n = 0, all = g->selection.n_runs;
	for (size_t i = 0; i < all; i++) {
		if (!g->done[i])
			continue;
		g->results[n] = g->results[i];
		g->done[n++] = true;
	}
	g->selection.n_runs = n;
	print_ready(g);
	printf("%sinterrupted; %zu of %zu runs were done\n", g->o->tap ? "# " : "", n, all);
}

/* In processes of their own: unknown code can crash them. */
static int run_in_workers(struct gate *g, unsigned jobs, struct mx_error *err) {
	enum { RUN = 5 }; /* a run, with its data and judgement, in time-outs of a launch */
	const double launch = g->o->time_out > 0 ? g->o->time_out : MX_USUAL_TIME_OUT;
	const struct mx_pool pool = { .jobs = jobs,
		                      .time_out = g->o->race ? 0 : RUN * launch,
		                      .ends_early = g->o->race != 0,
		                      .context = g,
		                      .work = run_case,
		                      .done = end_case };
	int status = mx_pool_run(&pool, &g->selection, g->results, &g->interrupted, err);
	if (!status && g->interrupted)
		drop_unfinished(g);
	return status;
}

/* A real device does not survive a fork, and what --trace and its like print is for a debugger. */
static int run_all(struct gate *g, struct mx_error *err) {
	size_t most = g->o->race ? 1 : g->selection.n_runs;
	unsigned jobs = g->o->jobs < most ? g->o->jobs : (unsigned)most;
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		g->results[i].run = &g->selection.runs[i];
		g->results[i].alone = g->selection.n_runs == 1;
	}
	share_threads(g);
	if (g->device->emu && !mx_options_look(g->o) && jobs)
		return run_in_workers(g, jobs, err);
	run_in_threads(g, jobs);
	return 0;
}

static void print_stale(void *context, const char *why, const char *text) {
	const struct mx_options *o = context;
	printf("%sexpected failure %s: %s: %s\n", o->tap ? "# " : "FAIL  ", why, o->expect, text);
}

/* 4 goes before 3 and 3 before 1; a run that could not be done is 2, whatever the others find. */
static int exit_status(const struct gate *g) {
	int worst = g->stale ? MX_WRONG_NUMBERS : 0;
	bool interrupted = g->interrupted;
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		if (g->results[i].bad_input)
			return BAD_INPUT;
		if (mx_result_status(&g->results[i]) > worst)
			worst = mx_result_status(&g->results[i]);
		interrupted |= g->results[i].race.interrupted;
	}
	return worst || !interrupted ? worst : MX_INTERRUPTED;
}

/* The last line but one of the output, and the file of --update-baseline. */
static int update_baseline(const struct gate *g) {
	struct mx_error err;
	if (!g->baseline || !g->o->update_baseline ||
	    !mx_baseline_update(g->baseline, g->results, g->selection.n_runs, &err))
		return 0;
	fprintf(stderr, "mxcheck: %s\n", err.text);
	return -1;
}

static int complain(const struct mx_error *err) {
	fprintf(stderr, "mxcheck: %s\n", err->text);
	return -1;
}

/* The ends of reports that grow, and the other reports. One that fails does not stop the next. */
static int end_reports(struct gate *g, double seconds) {
	const struct mx_record record = record_of(g, seconds);
	const struct mx_options *o = g->o;
	struct mx_error err;
	int status = 0;
	if (g->json && mx_json_end(g->json, &record, &err))
		status = complain(&err);
	if (g->history && mx_history_end(g->history, &err))
		status = complain(&err);
	if (o->junit && mx_junit_write(o->junit, &record, &err))
		status = complain(&err);
	if (o->sarif && mx_sarif_write(o->sarif, &record, &err))
		status = complain(&err);
	if (o->html && mx_html_write(o->html, &record, &err))
		status = complain(&err);
	if (o->github)
		mx_github_print(&record);
	return status;
}

static int refuse_same(void *path, const char *input) {
	return mx_file_same(path, input);
}

/* A report must not replace a file that the runs read. */
static int check_inputs(const struct gate *g, const char *path, struct mx_error *err) {
	struct mx_error absent; /* a code object; the run reports it */
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		const struct mx_selected *r = &g->selection.runs[i];
		if (mx_case_depends(r->c, r->run.variant, g->o->code_object, g->kernel_dir,
		                    refuse_same, (void *)path, &absent) > 0)
			return mx_fail(err, "%s: is an input of %s", path, r->name);
	}
	return 0;
}

/* Opens the reports before anything runs. A file or folder that cannot be written is found here. */
static int begin_reports(struct gate *g, struct mx_error *err) {
	const struct mx_record record = record_of(g, 0);
	struct mx_report_path reports[MX_REPORTS];
	struct mx_error later;
	int status = 0;
	size_t n = mx_options_reports(g->o, reports);
	for (size_t i = 0; i < n; i++)
		if (check_inputs(g, reports[i].path, err))
			return -1;
	/* If one path is wrong, the others are emptied all the same: no older report stays. */
	for (size_t i = 0; i < n; i++)
		status |= mx_report_begin(reports[i].path, status ? &later : err);
	if (status)
		return -1;
	if (g->o->save && mx_folder_check(g->o->save, err))
		return -1;
	if (g->o->history && mx_history_begin(g->o->history, &record, &g->history, err))
		return -1;
	return g->o->json ? mx_json_begin(g->o->json, &record, &g->json, err) : 0;
}

static int begin_gate(struct gate *g, struct mx_error *err) {
	if (begin_reports(g, err))
		return -1;
	g->places = mx_places_make();
	g->results = calloc(g->selection.n_runs, sizeof *g->results);
	g->done = calloc(g->selection.n_runs, sizeof *g->done);
	return g->results && g->done && g->places ? 0 : mx_fail(err, "out of memory");
}

/* What is printed after the runs. */
static void print_end(struct gate *g, double seconds) {
	if (g->device->emu && g->o->analysis)
		mx_waivers_report(g->o, &g->selection);
	if (g->expect && !g->o->shards) /* another shard may use a row; merge decides */
		g->stale = mx_expect_each_stale(g->expect, g->o, &g->selection, print_stale,
		                                (void *)g->o);
	if (g->baseline)
		mx_baseline_report(g->baseline, g->o, g->results, g->selection.n_runs);
	mx_report_end(g->o, g->results, g->selection.n_runs, g->selection.n_absent, seconds);
}

static void end_gate(struct gate *g) {
	for (size_t i = 0; i < g->selection.n_runs; i++)
		mx_result_free(&g->results[i]);
	free(g->results);
	free(g->done);
	mx_places_free(g->places);
}

static int run_gate(struct gate *g) {
	double start = mx_seconds();
	struct mx_error err;
	if (begin_gate(g, &err)) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		return BAD_INPUT;
	}
	g->start = mx_seconds();
	mx_report_start(g->o, g->device, g->selection.n_runs);
	bool lost = run_all(g, &err) != 0;
	mx_progress_clear();
	if (lost)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	print_end(g, mx_seconds() - start);
	int status = lost ? BAD_INPUT : exit_status(g);
	if (update_baseline(g))
		status = BAD_INPUT;
	if (end_reports(g, mx_seconds() - start))
		status = BAD_INPUT;
	end_gate(g);
	return status;
}

/* ---- start ---- */

static size_t widest(size_t column, const char *text) {
	size_t n = strlen(text);
	return n > column ? n : column;
}

static int list(const struct mx_selection *s) {
	size_t name = 44, tags = 10;
	for (size_t i = 0; i < s->n_runs; i++) {
		name = widest(name, s->runs[i].name);
		tags = widest(tags, s->runs[i].tags);
	}
	for (size_t i = 0; i < s->n_runs; i++)
		printf("%-*s %-*s %s\n", (int)name, s->runs[i].name, (int)tags, s->runs[i].tags,
		       s->runs[i].c->title ? s->runs[i].c->title : "");
	return 0;
}

/* The first of two folders if it exists, else the second. */
static void first_existing(char folder[PATH_MAX + 32], const char *exe, const char *one,
                           const char *other) {
	snprintf(folder, PATH_MAX + 32, "%s/%s", exe, one);
	if (access(folder, R_OK))
		snprintf(folder, PATH_MAX + 32, "%s/%s", exe, other);
}

/* The folders of an installed program, or of a build: kernels are in the build folder, cases beside
 * it. A build folder outside the source tree uses the cases of MX_SOURCE. */
static void find_folders(char cases[PATH_MAX + 32], char kernels[PATH_MAX + 32]) {
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	char *slash = strrchr(exe, '/');
	if (slash)
		*slash = 0;
	first_existing(kernels, exe, "../lib/mxcheck/kernels", "kernels");
	first_existing(cases, exe, "../share/mxcheck/cases", "../cases");
	if (access(cases, R_OK))
		snprintf(cases, PATH_MAX + 32, "%s/cases", MX_SOURCE);
}

/* The text itself, or a file that holds it. */
static int read_schedule(struct gate *g) {
	enum { MOST_BYTES = 1 << 26 };
	const char *text = g->o->schedule;
	uint8_t *bytes = NULL;
	char *line = NULL;
	size_t n;
	struct mx_error err;
	bool is_file = !mx_schedule_is_text(text);
	int status = is_file ? mx_file_read(text, MOST_BYTES, &bytes, &n, &err) : 0;
	if (status) {
		fprintf(stderr,
		        "mxcheck: --schedule: '%s' is neither 'sequential' nor 'typical', and no "
		        "file that can be read: %s\n",
		        text, err.text);
		return status;
	}
	if (is_file)
		line = strndup((const char *)bytes, n);
	if (line)
		line[strcspn(line, "\n")] = 0;
	status = mx_schedule_parse(line ? line : text, &g->schedule, &err);
	if (status)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	free(line);
	free(bytes);
	return status;
}

/* Options for one run of one case. */
static int check_selection(const struct gate *g) {
	const char *option = mx_options_look(g->o) ? "--who, --trace, --watch and --break look into"
	                     : g->o->resume        ? "--resume needs"
	                                           : NULL;
	if (!option || g->selection.n_runs == 1)
		return 0;
	fprintf(stderr,
	        "mxcheck: %s one run of one case, and %zu are selected; --list prints "
	        "their names\n",
	        option, g->selection.n_runs);
	return BAD_INPUT;
}

/* Options that the device does not support. */
static int check_device(const struct gate *g) {
	const struct mx_options *o = g->o;
	const char *needs = o->schedule          ? "--schedule needs"
	                    : o->require_proof   ? "--require-proof needs"
	                    : o->cache           ? "--cache needs"
	                    : mx_options_look(o) ? "--who, --trace, --watch and --break need"
	                    : o->fuzz            ? "mxcheck fuzz needs"
	                    : o->mutate          ? "mxcheck mutate needs"
	                                         : NULL;
	if (g->device->emu)
		return 0;
	if (needs)
		fprintf(stderr, "mxcheck: device %s: %s the emulator (--device emu)\n",
		        g->device->name, needs);
	else if (o->race && o->has_jobs && o->jobs > 1)
		fprintf(stderr, "mxcheck: device %s: a hunt on a real device needs --jobs 1\n",
		        g->device->name);
	else
		return 0;
	return BAD_INPUT;
}

static int run_command(struct gate *g) {
	if (check_device(g) || (g->o->schedule && read_schedule(g)))
		return BAD_INPUT;
	if (g->o->fuzz)
		return mx_cmd_fuzz(g->o, g->device, g->kernel_dir, &g->selection);
	if (g->o->mutate)
		return mx_cmd_mutate(g->o, g->device, g->kernel_dir, &g->selection);
	struct mx_error err;
	if (g->o->cache && mx_cache_open(g->o, g->device, g->kernel_dir, &g->cache, &err)) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		return BAD_INPUT;
	}
	int status = run_gate(g);
	mx_cache_free(g->cache);
	return status;
}

static int run_on_device(struct gate *g) {
	struct mx_why why;
	int status = mx_device_open(g->o->device, &g->device, &why);
	if (status < 0) {
		fprintf(stderr, "mxcheck: %s\n", why.text);
		return BAD_INPUT;
	}
	if (status > 0) {
		fprintf(stderr, "mxcheck: device %s: nothing could run: %s\n",
		        g->o->device ? g->o->device : "emu", why.text);
		return NOTHING_RAN;
	}
	status = run_command(g);
	if (g->device->lost) /* the exit handlers of the runtime would wait for the launch */
		_exit(mx_output_end(status));
	mx_schedule_free(&g->schedule);
	mx_device_close(g->device);
	return status;
}

static int open_files(struct gate *g, struct mx_error *err) {
	const struct mx_options *o = g->o;
	if (o->baseline &&
	    mx_baseline_open(o->baseline, o->seed, o->update_baseline, &g->baseline, err))
		return -1;
	return o->expect ? mx_expect_open(o->expect, &g->expect, err) : 0;
}

static int open_and_run(struct gate *g) {
	struct mx_error err;
	if (check_selection(g))
		return BAD_INPUT;
	int status = open_files(g, &err) ? BAD_INPUT : 0;
	if (status)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	else
		status = run_on_device(g);
	mx_baseline_free(g->baseline);
	mx_expect_free(g->expect);
	return status;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "quant", mx_cmd_quant },     { "dequant", mx_cmd_dequant },   { "mfma", mx_cmd_mfma },
	{ "compare", mx_cmd_compare }, { "disasm", mx_cmd_disasm },     { "isa", mx_cmd_isa },
	{ "lint", mx_cmd_lint },       { "init", mx_cmd_init },         { "merge", mx_cmd_merge },
	{ "report", mx_cmd_report },   { "--version", mx_cmd_version },
};

static int run(int argc, char **argv) {
	char cases[PATH_MAX + 32], kernels[PATH_MAX + 32];
	struct mx_options o;
	struct mx_error err;
	struct gate g = { .o = &o, .kernel_dir = kernels, .lock = PTHREAD_MUTEX_INITIALIZER };
	int status;
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!mx_options_parse(argc, argv, &o, &status))
		return status;
	find_folders(cases, kernels);
	if (mx_select(&o, o.ci ? o.cases ? o.cases : "cases" : cases, &g.selection, &err) ||
	    (o.ci && mx_change_select(&o, kernels, &g.selection, &err))) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		status = BAD_INPUT;
	} else
		status = o.list ? list(&g.selection) : open_and_run(&g);
	mx_selection_free(&g.selection);
	return status;
}

int main(int argc, char **argv) {
	char why[256];
	mx_output_begin();
	if (!mx_cpu_check(why, sizeof why)) {
		fprintf(stderr, "mxcheck: %s\n", why);
		return mx_output_end(BAD_INPUT);
	}
	return mx_output_end(run(argc, argv));
}
