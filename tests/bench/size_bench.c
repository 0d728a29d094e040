/* Cost by size: seconds, processor seconds and memory of a launch from 512 to 4096 cubed, plain,
 * analysed and hunted, on one thread and on two; the exponent of the size that fits the processor
 * seconds, which do not depend on other load, and their ratio to those of the plain launch of the
 * same size and threads. MXCHECK_LONG: to 8192 cubed. Each size is measured in a process of its
 * own, so that its memory is known. */
#include "launches.h"

#include <math.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum mode { PLAIN, ANALYSED, HUNTED, MODES };
enum { SIZES = 5, LEAST = 512, MOST_RUNS = 9 };

static const char *const names[MODES] = { "plain", "analysed", "hunted" };

struct time {
	double seconds, processor;
};

struct cost {
	double seconds[MOST_RUNS], processor[MOST_RUNS], mib;
	int runs;
};

/* Fewer of large sizes, which take longer and vary less. */
static int runs_of(int64_t size) {
	int runs = MOST_RUNS * LEAST / (int)size;
	return runs ? runs : 1;
}

static double seconds_of(struct timeval t) {
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Processor seconds of this process and of those that it has started, as a hunt does. */
static double processor_now(void) {
	struct rusage own, others;
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &others);
	return seconds_of(own.ru_utime) + seconds_of(own.ru_stime) + seconds_of(others.ru_utime) +
	       seconds_of(others.ru_stime);
}

static struct time hunt(struct mx_bench *b, unsigned jobs, unsigned n) {
	struct mx_race_options o = { .jobs = jobs, .n = n };
	struct mx_race race;
	struct mx_verdict v = { 0 };
	struct mx_error err;
	double start = bench_now(), processor = processor_now();
	check(mx_race(b, &o, &race, &v, &err), err.text);
	check(race.divergent != 0, "a run differs");
	return (struct time){ bench_now() - start, processor_now() - processor };
}

/* One more run of a hunt. Run 0 is alone, and the others are compared with it. */
static struct time hunted(struct mx_bench *b, unsigned jobs, unsigned more) {
	struct time one = hunt(b, jobs, 1), all = hunt(b, jobs, 1 + more);
	return (struct time){ (all.seconds - one.seconds) / more,
		              (all.processor - one.processor) / more };
}

static struct time launched(struct mx_bench *b, unsigned analysis) {
	struct mx_run_result r = launch(b, analysis);
	return (struct time){ r.seconds, r.processor };
}

static void measure(enum mode mode, unsigned threads, int64_t size, struct cost *c) {
	unsigned analysis = mode == ANALYSED ? MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES : 0;
	open_emulator();
	emu->threads = threads;
	struct mx_bench *b = prepare("gemm/mxfp4_f32", size, size, size);
	c->runs = runs_of(size);
	if (mode == HUNTED) /* the first hunt and launch touch new memory */
		hunt(b, threads, 1);
	else
		launch(b, analysis);
	for (int i = 0; i < c->runs; i++) {
		struct time t = mode == HUNTED ? hunted(b, threads, 2 * threads * c->runs)
		                               : launched(b, analysis);
		c->seconds[i] = t.seconds;
		c->processor[i] = t.processor;
	}
	mx_bench_free(b);
	mx_device_close(emu);
}

static struct cost cost_of(enum mode mode, unsigned threads, int64_t size) {
	struct cost c = { 0 };
	struct rusage usage;
	int ends[2], status;
	fflush(stdout);
	check(pipe(ends), "no pipe");
	pid_t child = fork();
	check(child < 0, "no process");
	if (!child) {
		measure(mode, threads, size, &c);
		_exit(write(ends[1], &c, sizeof c) != sizeof c);
	}
	close(ends[1]);
	check(read(ends[0], &c, sizeof c) != sizeof c, "a launch failed");
	close(ends[0]);
	check(wait4(child, &status, 0, &usage) != child || status, "a launch failed");
	c.mib = (double)usage.ru_maxrss / 1024;
	return c;
}

/* The slope of the line of least squares through the logarithms. */
static double exponent(const double *seconds, int n) {
	double sx = 0, sy = 0, sxx = 0, sxy = 0;
	for (int i = 0; i < n; i++) {
		double x = i * log(2), y = log(seconds[i]);
		sx += x, sy += y, sxx += x * x, sxy += x * y;
	}
	return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* plain: the processor seconds of plain launches, which PLAIN sets. */
static void table(enum mode mode, unsigned threads, int sizes, double *plain) {
	double processor[SIZES];
	char name[80];
	for (int i = 0; i < sizes; i++) {
		int64_t size = (int64_t)LEAST << i;
		struct cost c = cost_of(mode, threads, size);
		snprintf(name, sizeof name, "size/%s/%lld cubed/%u threads", names[mode],
		         (long long)size, threads);
		bench_print_of(name, "s", c.seconds, c.runs);
		processor[i] = bench_print_of(name, "processor s", c.processor, c.runs);
		printf("%s,MiB,%.4g,\n", name, c.mib);
		if (mode == PLAIN)
			plain[i] = processor[i];
		else
			printf("%s,of plain,%.3g,\n", name, processor[i] / plain[i]);
	}
	printf("size/%s/%u threads,exponent,%.3f,\n", names[mode], threads,
	       exponent(processor, sizes));
}

int main(void) {
	bool all = getenv("MXCHECK_LONG") != NULL;
	double plain[SIZES];
	for (unsigned threads = 1; threads <= 2; threads++)
		for (enum mode mode = PLAIN; mode < MODES; mode++)
			table(mode, threads, all ? SIZES : SIZES - 1, plain);
	return 0;
}
