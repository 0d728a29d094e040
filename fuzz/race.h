/* Race hunts: the same launch under many schedules, compared byte by byte. */
#ifndef MX_RACE_H
#define MX_RACE_H

#include "../oracle/bench.h"

struct mx_race {
	unsigned long runs;      /* done */
	unsigned long divergent; /* runs whose memory differs from run 0's; under judge set, of
	                            these those that no order of atomics explains */
	unsigned long first;     /* the first such run */
	unsigned distinct;       /* different results in all, run 0's included */
	unsigned long faults;    /* runs under which the device failed: divergent too */
	double seconds;          /* of all launches, summed */
};

/* Called now and then from any of the threads. */
typedef void mx_race_progress(void *context, unsigned long done, unsigned long of);

/* Runs schedules first_schedule .. first_schedule + n - 1 (run i is schedule first + i) on
 * benches[0 .. jobs - 1], which are set-ups of the same plan and data, one for each thread.
 * Findings of the device and a divergence, with its first differing element, are added to v. */
int mx_race(struct mx_bench **benches, unsigned jobs, uint64_t first_schedule, unsigned long n,
            mx_race_progress *progress, void *context, struct mx_race *race, struct mx_verdict *v,
            struct mx_error *err);

/* The largest rate of divergence that n runs without one leave possible, at 95 % confidence. */
double mx_race_rate_bound(unsigned long n);

#endif
