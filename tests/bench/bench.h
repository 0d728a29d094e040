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

/* Processor time, which does not depend on other load. */
static inline double bench_processor_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static inline int bench_order(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints the median and the interquartile range of n measurements. Returns the median. */
static inline double bench_print_of(const char *name, const char *unit, double *runs, int n) {
	qsort(runs, n, sizeof *runs, bench_order);
	double median = runs[n / 2], spread = runs[n * 3 / 4] - runs[n / 4];
	printf("%s,%s,%.4g,%.2g\n", name, unit, median, spread);
	return median;
}

static inline double bench_print(const char *name, const char *unit, double runs[BENCH_RUNS]) {
	return bench_print_of(name, unit, runs, BENCH_RUNS);
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
