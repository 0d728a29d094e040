/* Scratch, flat pointers and atomics in code that clang made without optimising. */
#include "runtime_test.h"

enum { N = 24, THREADS = 128, KINDS = 200, STEPS = 30, SEEDS = 20 };

static hipModule_t module;

static hipError_t run(const char *name, unsigned threads, void **params) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, name));
	hipError_t e = hipModuleLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
	return e != hipSuccess ? e : hipDeviceSynchronize();
}

static void show_findings(void) {
	const struct mx_report *r = mxhipReport();
	for (size_t i = 0; i < r->n_findings; i++)
		diag("%s: %s", mxhipFindingName(r->findings[i].kind), in_words(&r->findings[i]));
}

static void *zeros(size_t bytes) {
	void *p = device_bytes(bytes);
	must(hipMemset(p, 0, bytes));
	return p;
}

static int ascending(const void *a, const void *b) {
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void test_sort(void) {
	uint32_t *out = zeros(THREADS * 3 * N * 4);
	unsigned wrong = 0;
	hipError_t e = run("sort_three_ways", THREADS, (void *[]){ &out });
	for (uint32_t t = 0; e == hipSuccess && t < THREADS; t++) {
		uint32_t want[N], state = t + 1;
		for (unsigned i = 0; i < N; i++) {
			state = state * 1664525u + 1013904223u;
			want[i] = state >> 8;
		}
		qsort(want, N, 4, ascending);
		for (unsigned way = 0; way < 3; way++)
			wrong += memcmp(out + (t * 3 + way) * N, want, sizeof want) != 0;
	}
	if (!ok(e == hipSuccess && !wrong && !mxhipReport()->n_findings,
	        "one function sorts in scratch, in LDS and in global memory"))
		show_findings();
	must(hipFree(out));
}

static void test_mixed(void) {
	uint32_t *out = zeros(256 * 4);
	unsigned wrong = 0;
	hipError_t e = run("mixed", 64, (void *[]){ &out });
	for (uint32_t l = 0; e == hipSuccess && l < 64; l++) {
		uint32_t which = l % 3;
		uint32_t old = (which == 0 ? 100 : which == 1 ? 200 : 300) + l;
		wrong += out[l] != 300 + l + (which == 2 ? 7 : 0) || out[64 + l] != old ||
		         out[128 + l] != 100 + l + (which == 0 ? 7 : 0) ||
		         out[192 + l] != 200 + l + (which == 1 ? 7 : 0);
	}
	if (!ok(e == hipSuccess && !wrong && !mxhipReport()->n_findings,
	        "lanes of one flat access are in scratch, LDS and global memory"))
		show_findings();
	must(hipFree(out));
}

static bool atomics_right(const uint32_t *out, const uint64_t *wide, float sum, double exact) {
	uint8_t seen[THREADS] = { 0 };
	uint64_t all = 0, total = 0;
	unsigned distinct = 0;
	for (uint64_t t = 0; t < THREADS; t++) {
		all ^= t << 32 | t;
		total += t;
		if (out[8 + t] < THREADS)
			distinct += !seen[out[8 + t]]++;
	}
	return out[0] == THREADS && out[1] == THREADS && out[2] == THREADS - 1 && out[3] == ~0u &&
	       wide[0] == all && wide[1] == total && distinct == THREADS && sum == THREADS * 0.5f &&
	       exact == THREADS * 0.25;
}

static void test_atomics(void) {
	unsigned right = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint32_t *out = zeros((8 + THREADS) * 4);
		uint64_t *wide = zeros(16);
		float *sum = zeros(4);
		double *exact = zeros(8);
		with_options(.seed = seed);
		right += run("atomics", THREADS, (void *[]){ &out, &wide, &sum, &exact }) ==
		                 hipSuccess &&
		         !mxhipReport()->n_findings && atomics_right(out, wide, *sum, *exact);
		must(hipFree(out));
		must(hipFree(wide));
		must(hipFree(sum));
		must(hipFree(exact));
	}
	if (!ok(right == SEEDS, "atomics of all work-items count and sum up, under %d schedules",
	        SEEDS))
		show_findings();
}

static void test_too_far(void) {
	uint32_t *out = zeros(64 * 4), at = 4096;
	hipError_t e = run("too_far", 64, (void *[]){ &out, &at });
	const struct mx_report *r = mxhipReport();
	if (!ok(e == hipSuccess && r->n_findings &&
	                !strcmp(mxhipFindingName(r->findings[0].kind), "out-of-bounds-read"),
	        "an access beyond the private segment is found"))
		show_findings();
	must(hipFree(out));
}

static void test_count(void) {
	uint8_t host[STEPS * 64];
	for (unsigned i = 0; i < sizeof host; i++)
		host[i] = (uint8_t)(i * 37 % 11 * (i % 64) % KINDS);
	uint8_t *bytes = device_copy(host, sizeof host);
	uint32_t *out = zeros(KINDS * 64 * 4), n = STEPS, wrong = 0;
	hipError_t e = run("count", 64, (void *[]){ &out, &bytes, &n });
	for (uint32_t l = 0; e == hipSuccess && l < 64; l++)
		for (uint32_t kind = 0; kind < KINDS; kind++) {
			uint32_t times = 0, last = 0;
			for (uint32_t i = 0; i < STEPS; i++)
				if (host[i * 64 + l] == kind) {
					times++;
					last = i;
				}
			wrong += out[kind * 64 + l] != (times << 8 | last);
		}
	if (!ok(e == hipSuccess && !wrong && !mxhipReport()->n_findings,
	        "scratch instructions keep each lane's own table"))
		show_findings();
	must(hipFree(out));
	must(hipFree(bytes));
}

int main(void) {
	must(hipModuleLoad(&module, built("tests/hip/private.gpu.co")));
	test_sort();
	test_mixed();
	test_atomics();
	test_count();
	test_too_far();
	must(hipModuleUnload(module));
	return done_testing();
}
