/* Explicit schedules: as text and back, recorded and replayed, and shortened. */
#include "../../fuzz/hunt/schedule.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 60, MANY_RUNS = 2000 };

static struct mx_device *emu;
static struct mx_case *gemm;
static struct mx_error err;

static struct mx_bench *bench(const char *kernel) {
	struct mx_plan plan;
	struct mx_bench *b;
	const char *build = getenv("BUILD");
	char co[512];
	snprintf(co, sizeof co, "%s/kernels/%s.co", build ? build : "build", kernel);
	need(!mx_plan_make(gemm, 129, 64, 512, MX_REGIME_GENERAL, &plan, &err), err.text);
	need(!mx_bench_make(&plan, emu, co, "", 1, &b, &err), err.text);
	return b;
}

/* ---- text ---- */

static void test_text(void) {
	static const char *const good[] = {
		"sequential,pattern=00",
		"sequential,pattern=5a,late,patient,odd=1f4,first=2,order=1,slice=64",
		"sequential,pattern=00,0.1@45+300,0.1@47/2+wait,0.2@118>1,0.2@118/3>0,12.0@0>3",
		"typical,pattern=00,lds=128,scalar=200,l2=500,memory=900,dma=64",
	};
	static const char *const bad[] = { "",
		                           "0.1@45+300",
		                           "sequential,0.1@45",
		                           "sequential,late,",
		                           "sequential,0.1@2*3",
		                           "sequential,pattern=5az",
		                           "sequentially",
		                           "sequential,lds=100",
		                           "typical,late",
		                           "typical,lds=1x",
		                           "typical,0.1@45+300",
		                           "typical,memory=1000001" };
	struct mx_schedule s;
	for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
		need(!mx_schedule_parse(good[i], &s, &err), err.text);
		char *text = mx_schedule_text(&s);
		ok(!strcmp(text, good[i]), "%s and back", good[i]);
		free(text);
		mx_schedule_free(&s);
	}
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(mx_schedule_parse(bad[i], &s, &err) && err.text[0], "'%s' is not a schedule",
		   bad[i]);
}

/* ---- replay ---- */

static uint64_t run_seed(struct mx_bench *b, uint64_t seed, struct mx_schedule *record) {
	struct mx_run_result r;
	mx_bench_options(b)->record = record;
	need(!mx_bench_run(b, seed, &r, &err), err.text);
	mx_bench_options(b)->record = NULL;
	return mx_bench_hash(b);
}

static uint64_t run_schedule(struct mx_bench *b, const struct mx_schedule *s) {
	struct mx_run_result r;
	need(!mx_bench_run_as(b, s, &r, &err), err.text);
	need(!r.schedule, "an explicit schedule has no seed");
	return mx_bench_hash(b);
}

static void test_replay(void) {
	struct mx_bench *b = bench("broken/loose_wait");
	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	uint64_t quiet = run_schedule(b, &sequential);
	unsigned same = 0, recorded = 0, loud = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct mx_schedule s = { .odd = UINT64_MAX };
		uint64_t hash = run_seed(b, seed, &s);
		recorded += hash == run_seed(b, seed, NULL);
		mx_schedule_sort(&s);
		same += hash == run_schedule(b, &s);
		loud += hash != quiet;
		mx_schedule_free(&s);
	}
	ok(recorded == SEEDS, "recording a schedule changes nothing");
	ok(loud > SEEDS / 4, "the broken twin shows under %u of %d seeds", loud, SEEDS);
	ok(same >= SEEDS - 1, "explicit decisions leave the bytes of %u of %d seeds", same, SEEDS);
	mx_bench_free(b);
}

/* ---- shrinking ---- */

static void test_shrink(void) {
	struct mx_bench *b = bench("broken/loose_wait");
	struct mx_witness w = { .found = false };
	uint64_t seed = 0;
	while (!w.found && seed++ < SEEDS) {
		mx_schedule_free(&w.schedule);
		need(!mx_shrink(b, seed, MANY_RUNS, &w, &err), err.text);
	}
	ok(w.found && w.decisions > 20 && w.schedule.n <= 3,
	   "of %zu decisions %zu are enough to diverge (%u runs)", w.decisions, w.schedule.n,
	   w.runs);
	struct mx_schedule sequential = { .odd = UINT64_MAX };
	uint64_t quiet = run_schedule(b, &sequential);
	ok(run_schedule(b, &w.schedule) != quiet, "they do");
	bool each = true;
	for (size_t i = 0; i < w.schedule.n; i++) {
		struct mx_schedule less = w.schedule;
		struct mx_deviation kept[8];
		less.deviations = kept;
		less.n = 0;
		for (size_t k = 0; k < w.schedule.n && w.schedule.n < 8; k++)
			if (k != i)
				kept[less.n++] = w.schedule.deviations[k];
		each &= run_schedule(b, &less) == quiet;
	}
	ok(each, "and none of them can be left out");
	mx_schedule_free(&w.schedule);
	mx_bench_free(b);
	b = bench("gemm/mxfp4_gemm");
	need(!mx_shrink(b, 1, MANY_RUNS, &w, &err), err.text);
	ok(!w.found && w.why, "there is no witness for the correct kernel");
	mx_schedule_free(&w.schedule);
	mx_bench_free(b);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &gemm, &err), err.text);
	test_text();
	test_replay();
	test_shrink();
	mx_case_free(gemm);
	mx_device_close(emu);
	return done_testing();
}
