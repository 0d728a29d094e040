/* Benches: repeated timings, and a CSV line `name,unit,median,spread` for each. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_RUNS = 15 };

static inline double bench_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline int bench_order(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints the median and the interquartile range of BENCH_RUNS measurements. Returns the median. */
static inline double bench_print(const char *name, const char *unit, double runs[BENCH_RUNS]) {
	qsort(runs, BENCH_RUNS, sizeof *runs, bench_order);
	double median = runs[BENCH_RUNS / 2];
	double spread = runs[BENCH_RUNS * 3 / 4] - runs[BENCH_RUNS / 4];
	printf("%s,%s,%.4g,%.2g\n", name, unit, median, spread);
	return median;
}

/* Calls f(arg) once unmeasured and BENCH_RUNS times measured; prints the rate for `amount` units a
 * call. Returns the median. */
static inline double bench(const char *name, const char *unit, double amount, void (*f)(void *),
                           void *arg) {
	double rate[BENCH_RUNS];
	f(arg);
	for (int i = 0; i < BENCH_RUNS; i++) {
		double start = bench_now();
		f(arg);
		rate[i] = amount / (bench_now() - start);
	}
	return bench_print(name, unit, rate);
}

#endif
