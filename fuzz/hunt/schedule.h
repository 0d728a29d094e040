/* Explicit schedules: as text, one run, and the shortest one that still diverges. */
#ifndef MX_HUNT_SCHEDULE_H
#define MX_HUNT_SCHEDULE_H

#include "../../oracle/bench.h"

/* "sequential,pattern=5a,0.2@118>1,0.1@45+300,0.1@47+wait": in workgroup 0, after wave 2 has issued
 * its instruction 118 it is the turn of wave 1; the memory operation of instruction 45 of wave 1
 * takes 300 clocks; that of instruction 47 takes effect only at a wait for it. "/N" distinguishes
 * several changes at one instruction or time. "2:0.2@118>1" is of step 2. Words before these, for
 * all steps: late, patient, odd=PC, first=WAVE, order=N, slice=N.
 *
 * "typical,lds=64,memory=900": the schedule of ref/isa/schedule/typical.c with these latencies in
 * cycles, at most a million each; the others are the usual ones of latencies.def. Beside them:
 * pattern, order, slice.
 *
 * Returns text to free; NULL: out of memory. */
char *mx_schedule_text(const struct mx_schedule *s);

/* Whether a text begins with the name of a schedule; otherwise it may be a file's name. */
bool mx_schedule_is_text(const char *text);

/* The inverse. 0, or -1 with err->text; mx_schedule_free frees it. */
int mx_schedule_parse(const char *text, struct mx_schedule *s, struct mx_error *err);

/* One run under an explicit schedule. */
int mx_bench_run_as(struct mx_bench *b, const struct mx_schedule *s, struct mx_run_result *r,
                    struct mx_error *err);

/* A short schedule that diverges from the sequential one. */
struct mx_witness {
	struct mx_schedule schedule;
	struct mx_schedule sequential; /* the sequential schedule that it diverges from */
	bool pattern_alone; /* sequential has pattern 0, and the pattern alone is enough */
	size_t decisions;   /* of the seed's schedule that differ from the sequential one */
	unsigned runs;      /* done to find it */
	bool found;         /* false: `why` has the reason */
	const char *why;
	bool placed;           /* buffer and offset are set: the first byte that differs */
	uint32_t buffer;       /* from the sequential run */
	int64_t offset;        /* in the buffer's extent */
	bool sequential_fails; /* not placed: the device fails under sequential, else under schedule
	                        */
	char failure[640];     /* of this run */
};

/* Shortens the schedule of a seed, in at most max_runs runs and MX_SHRINK_SECONDS. If the device
 * fails in the seed's run, the witness fails in the same way: the same kind of finding at the same
 * instruction. w->schedule is freed with mx_schedule_free. 0, or -1 with err->text. */
int mx_shrink(struct mx_bench *b, uint64_t seed, unsigned max_runs, struct mx_witness *w,
              struct mx_error *err);

enum { MX_SHRINK_SECONDS = 30 };

#endif
