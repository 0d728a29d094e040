/* The record of a run of mxcheck: the data that every report is made from. */
#ifndef MX_RECORD_H
#define MX_RECORD_H

#include "place.h"

struct mx_record {
	const struct mx_options *o;
	const struct mx_device *d;
	const struct mx_result *results;
	size_t n;
	const struct mx_selection *selection;
	const struct mx_expect *expect; /* --expect, or NULL */
	struct mx_places *places;
	double seconds;
};

/* What became of a run. */
typedef enum {
	MX_PASSED,
	MX_FAILED,
	MX_FAILED_AS_EXPECTED,
	MX_STOPPED,       /* a hunt whose journal could not be written, before it found anything */
	MX_BAD_INPUT_RUN, /* it could not be done */
	MX_OUTCOMES
} mx_outcome;
mx_outcome mx_result_outcome(const struct mx_result *r);

/* "pass", "fail", "expected-failure", "stopped", "bad-input". */
const char *mx_outcome_name(mx_outcome o);

/* The number of runs of each outcome. */
void mx_record_count(const struct mx_record *r, size_t count[MX_OUTCOMES]);

/* The command that repeats a run. The caller frees it; NULL: out of memory. */
char *mx_record_command(const struct mx_record *r, const struct mx_result *x);

/* The first finding of those that decide the status of a run that fails. */
const struct mx_note *mx_first_failure(const struct mx_verdict *v);

/* Calls `each` for the runs that a change deletes, and for the rows of --expect that are over or
 * unused. Returns their number. Of a shard there are no rows: another one may use a row, and
 * `mxcheck merge` decides by the lines of JSON. */
size_t mx_record_each_stale(const struct mx_record *r, mx_expect_stale *each, void *context);

#endif
