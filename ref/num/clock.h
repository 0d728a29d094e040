/* The clock of the host, for intervals: time since some moment. */
#ifndef MX_CLOCK_H
#define MX_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t mx_nanoseconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline double mx_seconds(void) {
	return 1e-9 * (double)mx_nanoseconds();
}

#endif
