/* Race hunts: the same launch under many schedules, compared byte by byte.
 *
 * Run i has schedule first_schedule + i; processes and their order do not matter. All other runs
 * are compared with run 0. A hunt that begins later, as one shard of a hunt does, executes run 0
 * for the comparison and does not count it. On the emulator forked processes share the runs: a
 * crash or a run that does not end is a finding of that run, and the hunt goes on. A real device
 * does not survive a fork, so there the runs follow each other in this process, and the first that
 * fails or does not end is the last. What mx_bench_vary puts around a run follows from the seed of
 * its schedule.
 */
#ifndef MX_HUNT_H
#define MX_HUNT_H

#include "../../oracle/bench.h"

/* How a run ended, compared with run 0. */
typedef enum {
	MX_RUN_SAME,
	MX_RUN_LEGAL,   /* other bytes, which the case allows */
	MX_RUN_DIFFERS, /* other bytes */
	MX_RUN_FAULT,   /* the device failed */
	MX_RUN_CRASH,   /* the process that ran it died */
	MX_RUN_TIMEOUT,
} mx_run_outcome;

/* Runs with the same result: the same bytes, or the same failure. */
struct mx_output {
	mx_run_outcome outcome;
	uint64_t hash;         /* of all memory; 0: not read */
	uint64_t runs, first;  /* their number, and the first one */
	uint32_t buffer, size; /* first element that differs from run 0: its buffer and bytes */
	int64_t offset;        /* its offset from the start of the buffer's valid extent */
	uint64_t here, there;  /* its value, and the value in run 0 */
	int64_t cause;         /* CRASH: the signal */
};

enum { MX_TOP_OUTPUTS = 6 };

struct mx_race {
	unsigned long runs;      /* done, with those of a resumed journal */
	unsigned long resumed;   /* of these, from the journal */
	unsigned long divergent; /* runs that differ from run 0 in a way that is not allowed */
	unsigned long first;     /* the first divergent run */
	unsigned distinct;       /* distinct results, with that of run 0 */
	unsigned long legal;     /* runs with other bytes than run 0 that are allowed */
	unsigned long faults;    /* runs in which the device failed; divergent too */
	unsigned long crashes, timeouts;
	unsigned long broken; /* runs that failed or took too long, if run 0 did not */
	unsigned long first_broken;
	unsigned long unfinished; /* runs that left nothing to compare: crashes, timeouts, and the
	                             faults if run 0 is a fault and no run diverges */
	double time_out;          /* limit of a run, in seconds; 0: none */
	double instructions;      /* of a workgroup in run 0, on average; 0: not known, or its waves
	                             sleep */
	unsigned waves;           /* of a workgroup of the first step */
	double seconds;           /* sum of all launches */
	struct mx_output outputs[MX_TOP_OUTPUTS]; /* the most frequent results */
	bool interrupted;                         /* by a signal, before its end */
	bool cut; /* the last record of the journal was cut short; its runs were done again */
	struct mx_error journal_error; /* a write error of the journal, which ended the hunt; "" */
};

/* Called after each batch. */
typedef void mx_race_progress(void *context, unsigned long done, unsigned long of);

enum { MX_SEQUENTIAL_RUNS = 100, MX_LEAST_SECONDS = 30 };

struct mx_race_options {
	unsigned jobs;
	uint64_t first_schedule;
	unsigned long first, n; /* runs from first to n - 1 */
	double seconds;         /* limit of the hunt; 0: none */
	double time_out; /* limit of a run, in seconds; 0: on the emulator MX_SEQUENTIAL_RUNS times
	                    run 0, and at least MX_LEAST_SECONDS; on a real device none */
	const char *journal; /* file to continue and to write; NULL: none */
	uint64_t data_seed;  /* the journal is bound to it */
	mx_race_progress *progress;
	/* Whether the last run of the bench left bytes that are allowed, although they are not
	 * those of run 0; NULL: no. Called in the process of the run, once for each new result. */
	bool (*legal)(void *context, struct mx_bench *b, const struct mx_run_result *r);
	void *context; /* of both functions */
};

/* Hunts. Adds findings of the device, and a divergence with its first differing element, to v.
 * SIGINT, SIGTERM and a write error of the journal end the hunt early; the results until then
 * count. */
int mx_race(struct mx_bench *b, const struct mx_race_options *o, struct mx_race *race,
            struct mx_verdict *v, struct mx_error *err);

/* The upper bound on the rate of divergence after n runs without one, at 95 % confidence. */
double mx_race_rate_bound(unsigned long n);

#endif
