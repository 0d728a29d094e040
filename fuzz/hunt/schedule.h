/* Schedules as text, and the shortest one that still diverges. */
#ifndef MX_FUZZ_SCHEDULE_H
#define MX_FUZZ_SCHEDULE_H

#include "../../oracle/bench.h"

/* "sequential,pattern=5a,0.2@118>1,0.1@45+300,0.1@47+wait": workgroup 0's wave 2 has issued its
 * instruction 118, and it is wave 1's turn; what wave 1's instruction 45 does to memory takes 300
 * clocks, what instruction 47 does is not done before a wait for it; "/N" tells several at one
 * place, or at one time, apart. Words before these: late, patient, odd=PC, first=WAVE, order=N,
 * slice=N. Returns text to free, NULL where memory is short. */
char *mx_schedule_text(const struct mx_schedule *s);

/* The inverse. 0, or -1 with err->text; mx_schedule_free frees it. */
int mx_schedule_parse(const char *text, struct mx_schedule *s, struct mx_error *err);

/* One run under an explicit schedule. */
int mx_bench_run_as(struct mx_bench *b, const struct mx_schedule *s, struct mx_run_result *r,
                    struct mx_error *err);

/* A schedule that diverges from the sequential one, made short. */
struct mx_witness {
	struct mx_schedule schedule;
	struct mx_schedule
		sequential; /* what it diverges from: the sequential one, with its pattern */
	bool pattern_alone; /* then with pattern 0: the pattern alone is enough */
	size_t decisions;   /* that the seed's schedule made, otherwise than the sequential one */
	unsigned runs;      /* that it took to find it */
	bool found;         /* else why says what was in the way */
	const char *why;
	bool placed;     /* the next two are the first byte that differs from the sequential */
	uint32_t buffer; /* run's, of a buffer's extent */
	int64_t offset;
	bool sequential_fails; /* not placed: the device fails under sequential, else under schedule
	                        */
	char failure[640];     /* with this */
};

/* Looks for one in the schedule of a seed, in at most max_runs runs and MX_SHRINK_SECONDS. A run
 * under which the device fails is a witness of that failure: the same kind of finding at the same
 * instruction. w->schedule is freed with mx_schedule_free. 0, or -1 with err->text. */
int mx_shrink(struct mx_bench *b, uint64_t seed, unsigned max_runs, struct mx_witness *w,
              struct mx_error *err);

enum { MX_SHRINK_SECONDS = 30 };

#endif
