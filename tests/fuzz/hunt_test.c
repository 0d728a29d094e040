/* Race hunts on the emulator: the counts do not depend on the threads, the broken twin diverges. */
#include "../../fuzz/hunt/hunt.h"
#include "../../fuzz/hunt/workers.h"
#include "../heap.h"
#include "../tap.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 50 };

static struct mx_device *emu;
static struct mx_case *gemm;
static struct mx_error err;

/* The result of a hunt, and its reports of progress. */
struct hunt {
	struct mx_race race;
	struct mx_verdict v;
	unsigned long calls, done, of;
};

static void progress(void *context, unsigned long done, unsigned long of) {
	struct hunt *h = context;
	h->calls++;
	h->done = done;
	h->of = of;
}

static struct mx_bench *bench(const char *kernel) {
	struct mx_plan plan;
	struct mx_bench *b;
	const char *build = getenv("BUILD");
	char co[512];
	snprintf(co, sizeof co, "%s/kernels/%s.co", build ? build : "build", kernel);
	need(!mx_plan_make(gemm, 128, 64, 1024, MX_REGIME_GENERAL, &plan, &err), err.text);
	need(!mx_bench_make(&plan, emu, co, "", 1, &b, &err), err.text);
	return b;
}

static struct hunt hunt_with(const char *kernel, struct mx_race_options o) {
	struct hunt h = { 0 };
	struct mx_bench *b = bench(kernel);
	if (!o.context) {
		o.progress = progress;
		o.context = &h;
	}
	need(!mx_race(b, &o, &h.race, &h.v, &err), err.text);
	mx_bench_free(b);
	return h;
}

static struct hunt hunt(const char *kernel, unsigned jobs, uint64_t first, unsigned long n) {
	return hunt_with(kernel,
	                 (struct mx_race_options){ .jobs = jobs, .first_schedule = first, .n = n });
}

static bool has_note(const struct hunt *h, const char *kind, const char *text) {
	for (unsigned i = 0; i < h->v.n_notes; i++)
		if (!strcmp(h->v.notes[i].kind, kind) && strstr(h->v.notes[i].text, text))
			return true;
	return false;
}

static bool same_outputs(const struct hunt *g, const struct hunt *h) {
	for (unsigned i = 0; i < MX_TOP_OUTPUTS; i++)
		if (g->race.outputs[i].hash != h->race.outputs[i].hash ||
		    g->race.outputs[i].runs != h->race.outputs[i].runs ||
		    g->race.outputs[i].first != h->race.outputs[i].first)
			return false;
	return true;
}

static bool same_counts(const struct hunt *g, const struct hunt *h) {
	bool same = g->race.runs == h->race.runs && g->race.divergent == h->race.divergent &&
	            g->race.first == h->race.first && g->race.distinct == h->race.distinct &&
	            g->race.faults == h->race.faults;
	if (!same)
		diag("%lu of %lu diverge, first %lu, %u distinct; %lu of %lu, first %lu, %u",
		     g->race.divergent, g->race.runs, g->race.first, g->race.distinct,
		     h->race.divergent, h->race.runs, h->race.first, h->race.distinct);
	return same;
}

static void test_correct_kernel(void) {
	struct hunt one = hunt("gemm/mxfp4_gemm", 1, 7, RUNS);
	struct hunt two = hunt("gemm/mxfp4_gemm", 2, 7, RUNS);
	ok(one.race.runs == RUNS && !one.race.divergent && one.race.distinct == 1 &&
	           !one.race.faults && !one.v.n_notes,
	   "the correct kernel leaves the same bytes under %d schedules", RUNS);
	ok(same_counts(&one, &two), "two processes count the same as one");
	ok(one.calls && one.done == RUNS && one.of == RUNS && two.calls && two.done == RUNS,
	   "progress is reported to the end, in any number of processes");
	ok(one.race.seconds > 0, "the launches took time");
}

static void test_broken_twin(void) {
	struct hunt one = hunt("broken/loose_wait", 1, 7, RUNS);
	struct hunt two = hunt("broken/loose_wait", 2, 7, RUNS);
	ok(one.race.divergent > 0 && one.race.distinct > 1 && one.race.first > 0,
	   "loose_wait diverges under %lu of %d schedules", one.race.divergent, RUNS);
	ok(same_counts(&one, &two), "two processes find the same divergence, the same run first");
	ok(same_outputs(&one, &two) && one.race.outputs[0].runs >= one.race.outputs[1].runs,
	   "and the same results with the same counts, the most frequent first");
	ok(has_note(&one, "nondeterminism", "first at C[") && mx_verdict_status(&one.v) == 3,
	   "it is nondeterminism, with the first element that differs");
	unsigned elements = 0, outputs = 0;
	for (unsigned i = 0; i < MX_TOP_OUTPUTS; i++) {
		const struct mx_output *x = &one.race.outputs[i];
		outputs += x->outcome == MX_RUN_DIFFERS;
		elements += x->outcome == MX_RUN_DIFFERS && x->size == 4 && x->here != x->there;
	}
	ok(outputs && elements == outputs, "each result has an element of f32 that differs");
	struct hunt again = hunt("broken/loose_wait", 1, 7, one.race.first + 1);
	ok(again.race.divergent == 1 && again.race.first == one.race.first,
	   "a hunt that ends with the first divergent run has only that one");
	struct hunt single = hunt("broken/loose_wait", 1, 7, 1);
	ok(single.race.runs == 1 && !single.race.divergent && single.race.distinct == 1,
	   "one run differs from nothing");
}

static void test_faults(void) {
	char *address = gemm->launch.kernarg[0].value;
	gemm->launch.kernarg[0].value = "16";
	struct hunt h = hunt("gemm/mxfp4_gemm", 2, 7, 6);
	gemm->launch.kernarg[0].value = address;
	ok(h.race.runs == 6 && h.race.faults == 6 && h.race.unfinished == 6 && !h.race.divergent,
	   "a kernel that faults under every schedule does not diverge, and gives no rate");
	ok(has_note(&h, "fault", "mxfp4_gemm_f32") && mx_verdict_status(&h.v) == 4,
	   "it is a fault");
}

/* ---- other ends of a run ---- */

static bool allow(void *context, struct mx_bench *b, const struct mx_run_result *r) {
	(void)context, (void)b, (void)r;
	return true;
}

static bool die(void *context, struct mx_bench *b, const struct mx_run_result *r) {
	const uint64_t *schedule = context;
	(void)b;
	if (r->schedule == *schedule)
		raise(SIGSEGV);
	return false;
}

static bool hang(void *context, struct mx_bench *b, const struct mx_run_result *r) {
	const uint64_t *schedule = context;
	(void)b;
	if (r->schedule == *schedule)
		pause();
	return false;
}

static void test_legal_results(void) {
	struct hunt h =
		hunt_with("broken/loose_wait",
	                  (struct mx_race_options){
				  .jobs = 2, .first_schedule = 7, .n = RUNS, .legal = allow });
	ok(!h.race.divergent && h.race.legal > 0 && h.race.distinct > 1 &&
	           !has_note(&h, "nondeterminism", ""),
	   "results that the case allows are counted, and are not a divergence");
}

static void test_lost_runs(void) {
	struct hunt whole = hunt("broken/loose_wait", 1, 7, RUNS);
	uint64_t schedule = 7 + whole.race.first;
	struct mx_race_options o = {
		.jobs = 2, .first_schedule = 7, .n = RUNS, .context = &schedule
	};
	char seed[32];
	snprintf(seed, sizeof seed, "--seed %llu", (unsigned long long)schedule);
	o.legal = die;
	struct hunt dead = hunt_with("broken/loose_wait", o);
	ok(whole.race.time_out >= MX_LEAST_SECONDS && !whole.race.unfinished,
	   "the default limit of a run is long enough for all runs");
	ok(dead.race.runs == RUNS && dead.race.crashes == 1 && dead.race.unfinished == 1 &&
	           dead.race.divergent == whole.race.divergent - 1,
	   "a run whose process dies is one run lost, and the hunt goes on");
	ok(has_note(&dead, "crash", seed) && mx_verdict_status(&dead.v) == 4,
	   "it is a crash, with its seed");
	o.legal = hang;
	o.time_out = 1;
	struct hunt late = hunt_with("broken/loose_wait", o);
	ok(late.race.runs == RUNS && late.race.timeouts == 1 && late.race.unfinished == 1 &&
	           late.race.time_out == 1 && late.race.divergent == whole.race.divergent - 1,
	   "so is a run that does not end");
	ok(has_note(&late, "time-out", seed) && mx_verdict_status(&late.v) == 4,
	   "it is a time-out, with its seed");
}

/* Dies in every run that differs. */
static bool die_of_any(void *context, struct mx_bench *b, const struct mx_run_result *r) {
	(void)context, (void)b, (void)r;
	raise(SIGKILL);
	return false;
}

static void test_lost_hunt(void) {
	struct hunt h = hunt_with(
		"broken/loose_wait",
		(struct mx_race_options){
			.jobs = 1, .first_schedule = 7, .n = 10000, .legal = die_of_any });
	ok(h.race.crashes == 100 && h.race.runs < 10000, "a hunt ends after 100 lost runs");
}

/* ---- workers ---- */

struct run_0 {
	struct mx_bench *b;
	const struct mx_run_result *r;
};

static void keep_run_0(void *run) {
	const struct run_0 *x = run;
	struct mx_run_0 zero;
	need(!mx_run_0_keep(&zero, x->b, x->r, &err), err.text);
	mx_run_0_free(&zero);
}

static void test_workers(void) {
	struct mx_bench *b = bench("broken/loose_wait");
	struct hunt some = hunt("broken/loose_wait", 1, 7, RUNS / 5);
	uint64_t schedule = 7 + some.race.first;
	const struct mx_race_options o = {
		.jobs = 2, .first_schedule = 7, .time_out = 0.2, .legal = hang, .context = &schedule
	};
	const struct mx_batch *batch = NULL;
	struct mx_run_0 zero;
	struct mx_run_result r;
	struct mx_workers *w;
	unsigned which;
	need(!mx_bench_run(b, 7, &r, &err), err.text);
	ok(!heap_left_by(keep_run_0, &(struct run_0){ b, &r }), "the memory of run 0 is freed");
	need(!mx_run_0_keep(&zero, b, &r, &err) && !mx_workers_start(b, &o, &zero, &w, &err),
	     err.text);
	mx_workers_give(w, 0, 0, 1);
	while (!batch)
		need(!mx_workers_wait(w, &which, &batch, &err), err.text);
	ok(which == 0 && batch->done == 1 && batch->same == 1, "a worker does a run");
	mx_workers_give(w, 1, some.race.first, 1);
	for (batch = NULL; !batch;)
		need(!mx_workers_wait(w, &which, &batch, &err), err.text);
	ok(which == 1 && batch->n_outputs == 1 && batch->outputs[0].outcome == MX_RUN_TIMEOUT,
	   "of two workers the one with an endless run is late, not the idle one");
	mx_workers_free(w);
	mx_run_0_free(&zero);
	mx_bench_free(b);
}

/* ---- journals ---- */

static void test_journal(void) {
	struct mx_race_options o = { .jobs = 1, .n = 5, .journal = "/dev/null" };
	struct mx_bench *b = bench("gemm/mxfp4_gemm");
	struct hunt h = { 0 };
	ok(mx_race(b, &o, &h.race, &h.v, &err) == -1 &&
	           strstr(err.text, "/dev/null: not a regular file"),
	   "a device is not a journal: %s", err.text);
	char path[] = "/tmp/mx_race_test.XXXXXX";
	close(mkstemp(path));
	o.journal = path;
	need(!mx_race(b, &o, &h.race, &h.v, &err), err.text);
	o.n = 10;
	struct hunt more = { 0 };
	need(!mx_race(b, &o, &more.race, &more.v, &err), err.text);
	ok(h.race.runs == 5 && !h.race.resumed && more.race.runs == 10 && more.race.resumed == 5,
	   "a hunt continues from its journal");
	unlink(path);
	mx_bench_free(b);
}

static void test_time(void) {
	struct hunt h =
		hunt_with("gemm/mxfp4_gemm",
	                  (struct mx_race_options){ .jobs = 2, .n = 1000000, .seconds = 0.2 });
	ok(h.race.runs > 1 && h.race.runs < 1000000 && !h.race.interrupted && !h.v.n_notes,
	   "a hunt ends when its time is over");
}

static void test_rate_bound(void) {
	static const struct {
		unsigned long n;
		double bound;
	} t[] = { { 0, 1 },       { 1, 0.95 },        { 2, 0.776393202250021 },
		  { 59, 0.0495 }, { 50000, 5.99e-5 }, { 1000000000, 3.00e-9 } };
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
		ok(fabs(mx_race_rate_bound(t[i].n) / t[i].bound - 1) < 2e-3,
		   "after %lu runs without one the rate is below %g", t[i].n, t[i].bound);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &gemm, &err), err.text);
	test_correct_kernel();
	test_broken_twin();
	test_faults();
	test_legal_results();
	test_lost_runs();
	test_lost_hunt();
	test_workers();
	test_journal();
	test_time();
	test_rate_bound();
	mx_case_free(gemm);
	mx_device_close(emu);
	return done_testing();
}
