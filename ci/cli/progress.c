/* Progress on standard error: seconds, and how long it still takes. */
#include "progress.h"

#include <stdio.h>
#include <time.h>

double mx_seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void mx_print_left(double seconds) {
	unsigned long left = seconds < 0 ? 0 : (unsigned long)seconds;
	fprintf(stderr, ", %lu:%02lu:%02lu to go", left / 3600, left / 60 % 60, left % 60);
}
