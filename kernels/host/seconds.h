/* A clock for intervals. */
#ifndef MX_SECONDS_H
#define MX_SECONDS_H

#include <time.h>

/* Seconds since some moment. */
static inline double mx_seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
