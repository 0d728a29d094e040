/* Programs whose streams race, or do not: a child process for each, whose journal has the races. */
#ifndef RACES_TEST_H
#define RACES_TEST_H

#include "runtime_test.h"

#include <sys/wait.h>
#include <unistd.h>

/* ---- what programs have ---- */

static hipModule_t module;
static hipStream_t s, t, apart; /* apart: does not block */
static hipEvent_t e;
static uint32_t *p, *q; /* 128 dwords of device memory */

static void set(uint32_t *at, unsigned n, hipStream_t stream) {
	must(hipMemsetD32Async(at, 1, n, stream));
}

static void launch(const char *kernel, unsigned threads, void **params, hipStream_t stream) {
	hipFunction_t f;
	must(hipModuleGetFunction(&f, module, kernel));
	must(hipModuleLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, stream, params, NULL));
}

/* Adds to a dword. */
static void add(uint32_t *at, hipStream_t stream) {
	uint32_t n = 1;
	launch("add", 1, (void *[]){ &at, &n }, stream);
}

/* Copies 64 dwords with a kernel. */
static void copy(uint32_t *to, uint32_t *from, hipStream_t stream) {
	launch("copy", 64, (void *[]){ &to, &from }, stream);
}

/* Adds to a dword atomically. */
__attribute__((unused)) static void count(uint32_t *at, hipStream_t stream) {
	launch("count", 64, (void *[]){ &at }, stream);
}

static void after(hipStream_t second, hipStream_t first) {
	must(hipEventRecord(e, first));
	must(hipStreamWaitEvent(second, e, 0));
}

/* ---- running them ---- */

struct program {
	const char *name;
	void (*run)(void);
	unsigned races;
	const char *sentence;
};

static void run_program(const struct program *x) {
	must(hipModuleLoad(&module, built("tests/hip/probe.gpu.co")));
	must(hipStreamCreate(&s));
	must(hipStreamCreate(&t));
	must(hipStreamCreateWithFlags(&apart, hipStreamNonBlocking));
	must(hipEventCreate(&e));
	p = device_bytes(512);
	q = device_bytes(512);
	must(hipMemset(p, 0, 512));
	must(hipMemset(q, 0, 512));
	must(hipDeviceSynchronize());
	x->run();
	(void)hipDeviceSynchronize();
}

/* Memory that is freed first is a fault. */
static bool is_found(const char *line) {
	return !strncmp(line, "streams\t", 8) || strstr(line, "\tfault\t");
}

/* The lines of the journal of a child that runs a program for which `is` holds; the first is left
 * in `line`. */
static unsigned lines_of(const struct program *x, const char *folder, const char *seed,
                         bool (*is)(const char *), char line[1024]) {
	char path[256], more[1024];
	unsigned n = 0;
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		setenv("MXHIP_WATCH", folder, 1);
		setenv("MXHIP_SEED", seed, 1);
		run_program(x);
		exit(0);
	}
	waitpid(child, NULL, 0);
	snprintf(path, sizeof path, "%s/%ld.journal", folder, (long)child);
	FILE *journal = fopen(path, "r");
	while (journal && fgets(more, sizeof more, journal))
		if (is(more) && !n++)
			strcpy(line, more);
	if (journal)
		fclose(journal);
	unlink(path);
	return journal ? n : 99;
}

static unsigned races_of(const struct program *x, const char *folder, const char *seed,
                         char line[1024]) {
	return lines_of(x, folder, seed, is_found, line);
}

static void test_program(const struct program *x, const char *folder) {
	static const char *const seeds[] = { "0", "1", "2" };
	char line[1024] = "";
	unsigned good = 0, n = 0;
	for (unsigned k = 0; k < COUNT(seeds); k++)
		good += (n = races_of(x, folder, seeds[k], line)) == x->races;
	if (!ok(good == COUNT(seeds), "%s: %s", x->sentence,
	        x->races ? "a race under any seed" : "none"))
		diag("%s: %u of %zu seeds, %u races under the last; %s", x->name, good,
		     COUNT(seeds), n, line);
}

/* ---- the test ---- */

static void remove_objects(const char *folder) {
	char command[300];
	snprintf(command, sizeof command, "rm -r %s", folder);
	if (system(command))
		diag("%s is left", folder);
}

/* With an argument it is that program, for mxcheck exec. Otherwise it tests all, and then more. */
static int test_programs(const struct program *list, size_t n, int argc, char **argv,
                         void (*more)(const char *folder)) {
	char folder[] = "/tmp/stream-races-XXXXXX";
	for (size_t i = 0; i < n; i++)
		if (argc > 1 && !strcmp(argv[1], list[i].name)) {
			run_program(&list[i]);
			return 0;
		}
	if (!mkdtemp(folder))
		return 1;
	for (size_t i = 0; i < n; i++)
		test_program(&list[i], folder);
	if (more)
		more(folder);
	remove_objects(folder);
	return done_testing();
}

#endif
