/* Cost by size: seconds and memory of a launch from 512 to 4096 cubed, plain, analysed and hunted,
 * on one thread and on two, the exponent of the size that fits the seconds, and the ratio to the
 * plain launch of the same size and threads. MXCHECK_LONG: to 8192 cubed. Each size is measured in
 * a process of its own, so that its memory is known. */
#include "launches.h"

#include <math.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum mode { PLAIN, ANALYSED, HUNTED, MODES };
enum { SIZES = 5, LEAST = 512, MOST_RUNS = 9 };

static const char *const names[MODES] = { "plain", "analysed", "hunted" };

struct cost {
	double seconds[MOST_RUNS], mib;
	int runs;
};

/* Fewer of large sizes, which take longer and vary less. */
static int runs_of(int64_t size) {
	int runs = MOST_RUNS * LEAST / (int)size;
	return runs ? runs : 1;
}

static double hunt(struct mx_bench *b, unsigned jobs, unsigned n) {
	struct mx_race_options o = { .jobs = jobs, .n = n };
	struct mx_race race;
	struct mx_verdict v = { 0 };
	struct mx_error err;
	double start = bench_now();
	check(mx_race(b, &o, &race, &v, &err), err.text);
	check(race.divergent != 0, "a run differs");
	return bench_now() - start;
}

/* Seconds of one more run of a hunt. Run 0 is alone, and the others are compared with it. */
static double hunted(struct mx_bench *b, unsigned jobs, unsigned more) {
	double one = hunt(b, jobs, 1);
	return (hunt(b, jobs, 1 + more) - one) / more;
}

static void measure(enum mode mode, unsigned threads, int64_t size, struct cost *c) {
	unsigned analysis = mode == ANALYSED ? MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES : 0;
	open_emulator();
	emu->threads = threads;
	struct mx_bench *b = prepare("gemm/mxfp4_f32", size, size, size);
	c->runs = runs_of(size);
	if (mode != HUNTED)
		launch(b, analysis);
	for (int i = 0; i < c->runs; i++)
		c->seconds[i] = mode == HUNTED ? hunted(b, threads, 2 * threads * c->runs)
		                               : launch(b, analysis).seconds;
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

/* plain: the seconds of plain launches, which PLAIN sets. */
static void table(enum mode mode, unsigned threads, int sizes, double *plain) {
	double seconds[SIZES];
	char name[80];
	for (int i = 0; i < sizes; i++) {
		int64_t size = (int64_t)LEAST << i;
		struct cost c = cost_of(mode, threads, size);
		snprintf(name, sizeof name, "size/%s/%lld cubed/%u threads", names[mode],
		         (long long)size, threads);
		seconds[i] = bench_print_of(name, "s", c.seconds, c.runs);
		printf("%s,MiB,%.4g,\n", name, c.mib);
		if (mode == PLAIN)
			plain[i] = seconds[i];
		else
			printf("%s,of plain,%.3g,\n", name, seconds[i] / plain[i]);
	}
	printf("size/%s/%u threads,exponent,%.3f,\n", names[mode], threads,
	       exponent(seconds, sizes));
}

int main(void) {
	bool all = getenv("MXCHECK_LONG") != NULL;
	double plain[SIZES];
	for (unsigned threads = 1; threads <= 2; threads++)
		for (enum mode mode = PLAIN; mode < MODES; mode++)
			table(mode, threads, all ? SIZES : SIZES - 1, plain);
	return 0;
}
