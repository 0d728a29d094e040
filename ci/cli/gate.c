/* All runs: in parallel, printed in order; hunts follow each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "beside.h"
#include "gate.h"
#include "hunt_report.h"
#include "output.h"
#include "pool.h"
#include "progress.h"
#include "result.h"
#include "terminal.h"
#include "waivers.h"

static void print_ready(struct mx_gate *g) {
	const struct mx_record record = mx_gate_record(g, 0);
	mx_progress_clear();
	while (g->printed < g->selection.n_runs && g->done[g->printed]) {
		mx_report_result(g->o, g->device, g->results, g->selection.n_runs, g->printed);
		if (g->json)
			mx_json_run(g->json, &record, &g->results[g->printed]);
		if (g->history)
			mx_history_run(g->history, &g->results[g->printed]);
		if (g->history_of_emu && g->results[g->printed].beside)
			mx_history_run(g->history_of_emu, &g->results[g->printed].beside->emu);
		g->printed++;
	}
}

/* The architecture on which it ran: that of its code, if the device follows it. */
static const char *arch_of(const struct mx_gate *g, const struct mx_result *r) {
	char path[4096];
	if (!g->device->follows || !r->code)
		return g->device->arch;
	snprintf(path, sizeof path, "%.*s", (int)strcspn(r->code, "\n"), r->code);
	const char *name = mx_file_architecture(path);
	return name ? name : g->device->arch;
}

/* After a run, also one from the cache: the baseline and the expected failures may have changed. */
static void end_case(void *context, size_t i) {
	struct mx_gate *g = context;
	struct mx_result *r = &g->results[i];
	if (g->emulated)
		mx_beside_join(&g->emulated[i], r);
	if (!r->bad_input && g->baseline)
		mx_baseline_compare(g->baseline, r->run, &r->verdict);
	if (!r->bad_input && g->expect)
		mx_expect_compare(g->expect, arch_of(g, r), r);
	g->done[i] = true;
	g->n_done++;
	print_ready(g);
	if (!g->o->race)
		mx_progress_show(g->n_done, g->selection.n_runs, mx_seconds() - g->start);
}

static void *work(void *argument) {
	struct mx_gate *g = argument;
	for (;;) {
		pthread_mutex_lock(&g->lock);
		size_t i = mx_output_is_lost() ? g->selection.n_runs : g->next++;
		pthread_mutex_unlock(&g->lock);
		if (i >= g->selection.n_runs)
			return NULL;
		mx_gate_case(g, &g->results[i]);
		pthread_mutex_lock(&g->lock);
		end_case(g, i);
		if (g->results[i].race.interrupted)
			g->selection.n_runs = i + 1; /* hunts run in one thread */
		pthread_mutex_unlock(&g->lock);
	}
}

/* Threads for each of `at_once` jobs that run at the same time. */
static unsigned share(const struct mx_gate *g, size_t at_once) {
	return at_once && at_once < g->o->jobs ? g->o->jobs / (unsigned)at_once : 1;
}

/* Threads without a case of their own help inside launches and judges, and draw data. */
static void share_threads(struct mx_gate *g) {
	g->device->threads = share(g, g->o->race ? g->o->race : g->selection.n_runs);
	mx_data_threads(share(g, g->o->race ? 1 : g->selection.n_runs));
	mx_judge_threads(share(g, g->o->race ? 1 : g->selection.n_runs));
}

static void run_in_threads(struct mx_gate *g, unsigned jobs) {
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
static void drop_unfinished(struct mx_gate *g) {
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

/* Runs at the same time. The processes of many would fill a real device's memory. */
static unsigned jobs_of(const struct mx_gate *g) {
	enum { ON_DEVICE = 4 };
	size_t most = g->o->race ? 1 : g->selection.n_runs;
	if (!g->device->emu && !g->o->has_jobs && most > ON_DEVICE)
		most = ON_DEVICE;
	return g->o->jobs < most ? g->o->jobs : (unsigned)most;
}

static void begin_results(const struct mx_gate *g) {
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		g->results[i].run = &g->selection.runs[i];
		g->results[i].alone = g->selection.n_runs == 1;
	}
}

int mx_gate_work(struct mx_gate *g, void (*done)(void *gate, size_t i), struct mx_error *err) {
	enum { RUN = 5 }; /* a run, with its data and judgement, in time-outs of a launch */
	const double launch = g->o->time_out > 0 ? g->o->time_out : MX_USUAL_TIME_OUT;
	const struct mx_pool pool = { .jobs = jobs_of(g),
		                      .time_out = g->o->race ? 0 : RUN * launch,
		                      .ends_early = g->o->race != 0,
		                      .renews = !g->device->emu,
		                      .context = g,
		                      .work = mx_gate_case,
		                      .done = done };
	begin_results(g);
	share_threads(g);
	return mx_pool_run(&pool, &g->selection, g->results, &g->interrupted, err);
}

/* What --trace and its like print is for a debugger. */
static int run_all(struct mx_gate *g, struct mx_error *err) {
	bool forks = !mx_options_look(g->o) && jobs_of(g);
	int status = g->emu ? mx_gate_emulate(g, err) : 0;
	if (!status && forks)
		status = mx_gate_work(g, end_case, err);
	else if (!status && !g->interrupted) {
		begin_results(g);
		share_threads(g);
		run_in_threads(g, jobs_of(g));
	}
	if (!status && g->interrupted)
		drop_unfinished(g);
	return status;
}

static void print_stale(void *context, const char *what, const char *why, const char *text) {
	const struct mx_options *o = context;
	bool of_file = !strcmp(what, "expected failure");
	printf("%s%s %s: ", o->tap ? "# " : "FAIL  ", what, why);
	mx_print_on_line(of_file ? o->expect : "");
	printf("%s%s\n", of_file ? ": " : "", text);
}

/* 4 goes before 3 and 3 before 1; a run that could not be done is 2, whatever the others find. */
static int exit_status(const struct mx_gate *g) {
	int worst = g->stale ? MX_WRONG_NUMBERS : 0;
	bool interrupted = g->interrupted;
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		if (g->results[i].bad_input)
			return MX_BAD_INPUT;
		if (mx_result_status(&g->results[i]) > worst)
			worst = mx_result_status(&g->results[i]);
		interrupted |= g->results[i].race.interrupted;
	}
	return worst || !interrupted ? worst : MX_INTERRUPTED;
}

/* The last line but one of the output, and the file of --update-baseline. */
static int update_baseline(const struct mx_gate *g) {
	struct mx_error err;
	if (!g->baseline || !g->o->update_baseline ||
	    !mx_baseline_update(g->baseline, g->results, g->selection.n_runs, &err))
		return 0;
	fprintf(stderr, "mxcheck: %s\n", err.text);
	return -1;
}

static int begin_emulator(struct mx_gate *g, struct mx_error *err) {
	struct mx_why why;
	if (mx_device_open("emu", &g->emu, &why))
		return mx_fail(err, "%s", why.text);
	g->emulated = calloc(g->selection.n_runs, sizeof *g->emulated);
	return g->emulated ? 0 : mx_fail(err, "out of memory");
}

static int begin_gate(struct mx_gate *g, struct mx_error *err) {
	if (g->o->beside && begin_emulator(g, err))
		return -1;
	if (mx_gate_begin_reports(g, err))
		return -1;
	g->places = mx_places_make();
	g->results = calloc(g->selection.n_runs, sizeof *g->results);
	g->done = calloc(g->selection.n_runs, sizeof *g->done);
	return g->results && g->done && g->places ? 0 : mx_fail(err, "out of memory");
}

static void print_skipped(const struct mx_gate *g) {
	const struct mx_selection *s = &g->selection;
	if (s->n_other)
		printf("%sskipped: %zu run%s for %s, the device is a %s\n", g->o->tap ? "# " : "",
		       s->n_other, s->n_other == 1 ? " is" : "s are", s->other, g->device->arch);
}

/* What is printed after the runs. */
static void print_end(struct mx_gate *g, double seconds) {
	if ((g->device->emu || g->emu) && g->o->analysis)
		mx_waivers_report(g->o, &g->selection);
	const struct mx_record record = mx_gate_record(g, seconds);
	g->stale = mx_record_each_stale(&record, print_stale, (void *)g->o);
	if (g->baseline)
		mx_baseline_report(g->baseline, g->o, g->results, g->selection.n_runs);
	print_skipped(g);
	mx_report_end(g->o, g->results, g->selection.n_runs, g->selection.n_absent, seconds);
}

static void end_gate(struct mx_gate *g) {
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		mx_result_free(&g->results[i]);
		if (g->emulated)
			mx_result_free(&g->emulated[i]);
	}
	free(g->results);
	free(g->emulated);
	mx_device_close(g->emu);
	free(g->done);
	mx_places_free(g->places);
}

int mx_gate_run(struct mx_gate *g) {
	double start = mx_seconds();
	struct mx_error err;
	if (begin_gate(g, &err)) {
		fprintf(stderr, "mxcheck: %s\n", err.text);
		return MX_BAD_INPUT;
	}
	g->start = mx_seconds();
	mx_report_start(g->o, g->device, g->selection.n_runs);
	bool lost = run_all(g, &err) != 0;
	mx_progress_clear();
	if (lost)
		fprintf(stderr, "mxcheck: %s\n", err.text);
	print_end(g, mx_seconds() - start);
	int status = lost ? MX_BAD_INPUT : exit_status(g);
	if (update_baseline(g))
		status = MX_BAD_INPUT;
	if (mx_gate_end_reports(g, mx_seconds() - start))
		status = MX_BAD_INPUT;
	end_gate(g);
	return status;
}
