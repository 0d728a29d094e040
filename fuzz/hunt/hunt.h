/* Race hunts: the same launch under many schedules, compared byte by byte.
 *
 * Run i is schedule first_schedule + i, whoever runs it and in whatever order; run 0 is what the
 * others are held against. On the emulator runs are shared out among forked processes: a crash or
 * a run that does not end is a finding of that run, and the hunt goes on. A real device does not
 * survive a fork, so there they follow each other in this process, and the first that fails or does
 * not end is the last. What mx_bench_vary puts around a run follows from its schedule's seed.
 */
#ifndef MX_RACE_H
#define MX_RACE_H

#include "../../oracle/bench.h"

/* How a run ended, seen from run 0. */
typedef enum {
	MX_RUN_SAME,
	MX_RUN_LEGAL,   /* other bytes, which the case allows */
	MX_RUN_DIFFERS, /* other bytes */
	MX_RUN_FAULT,   /* the device failed under it */
	MX_RUN_CRASH,   /* the process that ran it died */
	MX_RUN_TIMEOUT,
} mx_run_outcome;

/* Runs that ended alike: with the same bytes, or without any. */
struct mx_output {
	mx_run_outcome outcome;
	uint64_t hash;         /* of all memory; 0 where it was not read */
	uint64_t runs, first;  /* how many, and the first of them */
	uint32_t buffer, size; /* its first element that differs from run 0's, and its bytes */
	int64_t offset;        /* of it, from the start of the buffer's valid extent */
	uint64_t here, there;  /* it, and run 0's */
	int64_t cause;         /* CRASH: the signal */
};

enum { MX_TOP_OUTPUTS = 6 };

struct mx_race {
	unsigned long runs;      /* done, those of a resumed journal included */
	unsigned long resumed;   /* of them from the journal */
	unsigned long divergent; /* runs that ended otherwise than run 0, and may not */
	unsigned long first;     /* the first such run */
	unsigned distinct;       /* different results in all, run 0's included */
	unsigned long legal;     /* runs whose bytes are not run 0's, but allowed */
	unsigned long faults;    /* runs under which the device failed: divergent too */
	unsigned long crashes, timeouts;
	unsigned long broken; /* runs that failed or took too long, where run 0 did not */
	unsigned long first_broken;
	unsigned long unfinished; /* left nothing to compare: these two, and where the device
	                             failed under all runs, all */
	double time_out;          /* that its runs had, in seconds; 0: none */
	double instructions;      /* of a workgroup in run 0, on average; 0: not known, or its waves
	                             sleep */
	double seconds;           /* of all launches, summed */
	struct mx_output outputs[MX_TOP_OUTPUTS]; /* the most frequent results */
	bool interrupted;                         /* by a signal, before its end */
	bool cut;                                 /* the journal's last record was: done again */
	struct mx_error unkept; /* why the journal took no more, which ended it; "" */
};

/* Called now and then. */
typedef void mx_race_progress(void *context, unsigned long done, unsigned long of);

enum { MX_SEQUENTIAL_RUNS = 100, MX_LEAST_SECONDS = 30 };

struct mx_race_options {
	unsigned jobs;
	uint64_t first_schedule;
	unsigned long n; /* runs */
	double seconds;  /* stop after these; 0: never */
	double time_out; /* of a run, in seconds; 0: on the emulator MX_SEQUENTIAL_RUNS times what
	                    run 0 took, MX_LEAST_SECONDS at least; on a real device none */
	const char *journal; /* file to go on from and to write to; NULL: none */
	uint64_t data_seed;  /* which the journal is bound to */
	mx_race_progress *progress;
	/* Whether the bytes that the bench's last run left are allowed, though not run 0's; NULL:
	 * they are not. Called in the process that ran it, once for each result it has not seen. */
	bool (*legal)(void *context, struct mx_bench *b, const struct mx_run_result *r);
	void *context; /* of both */
};

/* Hunts. Findings of the device and a divergence, with its first differing element, are added
 * to v. SIGINT and SIGTERM end it early, with what was done until then; so does a journal that
 * takes no more. */
int mx_race(struct mx_bench *b, const struct mx_race_options *o, struct mx_race *race,
            struct mx_verdict *v, struct mx_error *err);

/* The largest rate of divergence that n runs without one leave possible, at 95 % confidence. */
double mx_race_rate_bound(unsigned long n);

#endif
