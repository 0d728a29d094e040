/* Launches of a shipped case on the emulator, for benches. An error ends the program. */
#ifndef BENCH_LAUNCHES_H
#define BENCH_LAUNCHES_H

#include "../../fuzz/hunt/hunt.h"
#include "bench.h"

static struct mx_device *emu;

static inline void check(int failed, const char *why) {
	if (!failed)
		return;
	fprintf(stderr, "%s\n", why);
	exit(1);
}

static inline void open_emulator(void) {
	struct mx_why why;
	check(mx_device_open("emu", &emu, &why), why.text);
	emu->threads = 1;
}

static inline struct mx_bench *prepare(const char *name, int64_t m, int64_t n, int64_t k) {
	const char *build = getenv("BUILD");
	struct mx_case *c;
	struct mx_plan plan;
	struct mx_bench *b;
	struct mx_error err;
	char file[256], kernels[256];
	snprintf(file, sizeof file, "cases/%s.yaml", name);
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	check(mx_case_load(file, &c, &err), err.text);
	check(mx_plan_make(c, m, n, k, MX_REGIME_GENERAL, &plan, &err), err.text);
	check(mx_bench_make(&plan, emu, NULL, kernels, 1, &b, &err), err.text);
	return b;
}

static inline struct mx_run_result launch(struct mx_bench *b, unsigned analysis) {
	struct mx_run_result r;
	struct mx_error err;
	mx_bench_options(b)->analysis = analysis;
	check(mx_bench_run(b, 1, &r, &err), err.text);
	check(r.failed, r.failure);
	return r;
}

#endif
