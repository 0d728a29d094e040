/* The cost of race detection: analysed launches compared with plain ones, in processor seconds,
 * which do not depend on other load; and hunts; plain launches of gfx1250 compared with gfx950; and
 * launches on several threads, with MXCHECK_LONG also of 4096 cubed. */
#include "../../fuzz/hunt/hunt.h"
#include "launches.h"

#include <string.h>
#include <unistd.h>

enum { SEEDS = 200, HUNTED = 2000, HUNT = 50000 };

/* Processor seconds of a launch. */
static double run(struct mx_bench *b, unsigned analysis) {
	return launch(b, analysis).processor;
}

/* In turn, so that other load slows both. */
static void measure_analysis(const char *name, int64_t m, int64_t n, int64_t k) {
	struct mx_bench *b = prepare(name, m, n, k);
	double ratio[BENCH_RUNS], seconds[BENCH_RUNS];
	char what[160];
	run(b, 0);
	for (int i = 0; i < BENCH_RUNS; i++) {
		double plain = run(b, 0);
		seconds[i] = run(b, MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES);
		ratio[i] = seconds[i] / plain;
	}
	snprintf(what, sizeof what, "analysed/%s/%lldx%lldx%lld", name, (long long)m, (long long)n,
	         (long long)k);
	bench_print(what, "s", seconds);
	bench_print(what, "of plain", ratio);
	mx_bench_free(b);
}

/* One launch of a case of either architecture: "emu" has one at a time. */
static double run_alone(const char *name, int64_t size) {
	struct mx_bench *b = prepare(name, size, size, size);
	run(b, 0);
	double seconds = run(b, 0);
	mx_bench_free(b);
	return seconds;
}

/* Plain launches of the same work for two architectures, in turn. */
static void measure_architectures(const char *name, const char *other, int64_t size) {
	double seconds[BENCH_RUNS], ratio[BENCH_RUNS];
	char what[200];
	for (int i = 0; i < BENCH_RUNS; i++) {
		double base = run_alone(other, size);
		seconds[i] = run_alone(name, size);
		ratio[i] = seconds[i] / base;
	}
	snprintf(what, sizeof what, "launch/%s/%lldx%lldx%lld", name, (long long)size,
	         (long long)size, (long long)size);
	bench_print(what, "s", seconds);
	snprintf(what + strlen(what), sizeof what - strlen(what), "/%s", other);
	bench_print(what, "ratio", ratio);
}

/* Launches on 1, 2, 4 ... threads, up to the number of processors, with the copies to and from the
 * device. */
static void measure_threads(const char *name, int64_t size, unsigned analysis) {
	struct mx_bench *b = prepare(name, size, size, size);
	const char *kind = analysis ? "analysed" : "launch";
	unsigned all = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	double seconds[BENCH_RUNS], one = 0;
	char what[160];
	for (unsigned threads = 1; threads <= all; threads *= 2) {
		mx_bench_options(b)->threads = threads;
		run(b, analysis);
		for (int i = 0; i < BENCH_RUNS; i++) {
			double start = bench_now();
			run(b, analysis);
			seconds[i] = bench_now() - start;
		}
		snprintf(what, sizeof what, "%s/%s/%lldx%lldx%lld/%u threads", kind, name,
		         (long long)size, (long long)size, (long long)size, threads);
		double median = bench_print(what, "s", seconds);
		one = threads == 1 ? median : one;
		printf("%s,times one thread,%.3g,0\n", what, one / median);
	}
	mx_bench_free(b);
}

/* Processor time of a run of a hunt, without the comparison with run 0. */
static void measure_run(const char *name, int64_t m, int64_t n, int64_t k) {
	struct mx_bench *b = prepare(name, m, n, k);
	double ms[BENCH_RUNS];
	char what[160];
	for (int i = 0; i < BENCH_RUNS; i++) {
		double start = bench_processor_now();
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct mx_run_result r;
			struct mx_error err;
			check(mx_bench_run(b, seed, &r, &err), err.text);
		}
		ms[i] = (bench_processor_now() - start) * 1e3 / SEEDS;
	}
	snprintf(what, sizeof what, "hunted run/%s/%lldx%lldx%lld", name, (long long)m,
	         (long long)n, (long long)k);
	bench_print(what, "ms", ms);
	mx_bench_free(b);
}

/* On all processors; HUNTED runs are measured and scaled to HUNT. */
static void measure_hunt(const char *name, int64_t m, int64_t n, int64_t k) {
	struct mx_bench *b = prepare(name, m, n, k);
	struct mx_race_options o = { .jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN), .n = HUNTED };
	struct mx_race race;
	struct mx_verdict v = { 0 };
	struct mx_error err;
	double start = bench_now();
	check(mx_race(b, &o, &race, &v, &err), err.text);
	printf("hunt/%s/%lldx%lldx%lld/%d runs scaled from %d,s,%.4g,0\n", name, (long long)m,
	       (long long)n, (long long)k, HUNT, HUNTED, (bench_now() - start) * HUNT / HUNTED);
	mx_bench_free(b);
}

int main(void) {
	static const struct {
		const char *name;
		int64_t m, n, k;
	} analysed[] = {
		{ "gemm/mxfp4_f32", 256, 256, 384 },
		{ "gemm/mxfp4_f32", 1024, 1024, 1024 },
		{ "gemm/mxfp4_bf16", 128, 128, 1024 },
		{ "gemm/mxfp4_splitk4", 32, 32, 512 },
		{ "gemm/mxfp4_pingpong_f32", 256, 256, 1024 },
		{ "gemm/mxfp4_pingpong_f32", 256, 256, 3072 },
		{ "gemm/mxfp4_pingpong_bf16", 256, 256, 1024 },
		{ "gemm/mxfp8_f32", 256, 256, 512 },
		{ "gemm/mxfp8_epilogue", 128, 128, 512 },
		{ "gemm/mxfp8_scratch", 128, 128, 512 },
		{ "gemm/mxfp8_persistent", 256, 256, 512 },
	};
	open_emulator();
	for (size_t i = 0; i < sizeof analysed / sizeof *analysed; i++)
		measure_analysis(analysed[i].name, analysed[i].m, analysed[i].n, analysed[i].k);
	measure_run("gemm/mxfp4_f32", 64, 64, 256);
	measure_hunt("gemm/mxfp4_f32", 64, 64, 256);
	measure_architectures("gemm/gfx1250_mxfp8_f32", "gemm/mxfp8_f32", 1024);
	measure_threads("gemm/mxfp4_f32", 1024, 0);
	measure_threads("gemm/mxfp4_f32", 1024, MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES);
	for (unsigned i = 0; getenv("MXCHECK_LONG") && i < 2; i++) {
		const char *name = i ? "gemm/mxfp8_f32" : "gemm/mxfp4_f32";
		measure_threads(name, 4096, 0);
		measure_threads(name, 4096, MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES);
	}
	mx_device_close(emu);
	return 0;
}
