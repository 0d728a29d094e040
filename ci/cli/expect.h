/* Expected failures: runs that may fail for a while, with the reason and the last day. */
#ifndef MX_EXPECT_H
#define MX_EXPECT_H

#include <stdio.h>

#include "select.h"

struct mx_expect;
struct mx_result;

/* A row of the file. Absent texts: any. */
struct mx_expected {
	char *run;       /* a glob on the names of runs, or of cases */
	char **findings; /* the kinds that may fail */
	unsigned n_findings;
	char *arch;         /* of the device, "gfx950" */
	char *code;         /* hash of the code object, as in a waiver */
	char *reason;       /* why it is not repaired yet */
	char *until;        /* the last day, in UTC */
	uint64_t hash;      /* of code */
	time_t end;         /* of until */
	_Atomic bool used;  /* a run failed as it says */
	_Atomic bool tried; /* a run has the name and the device, whatever its code object */
};

/* Reads a file with one key, `expect`. 0, or -1 with err->text. */
int mx_expect_open(const char *path, struct mx_expect **e, struct mx_error *err);
void mx_expect_free(struct mx_expect *e);

/* After the judgement of a run: r->expected becomes the row that covers its failure. A run that
 * passes in spite of a row has the finding `unexpected-pass`. arch: on which it ran, "gfx950".
 * Threads may call it for different results. */
void mx_expect_compare(struct mx_expect *e, const char *arch, struct mx_result *r);

/* At the end: calls `each` for every row that has expired, or that no run used: it names no run of
 * the cases that were loaded, or the runs that it names have another code object or other findings.
 * Rows for runs that were not selected are left alone. Returns their number. `what` is "expected
 * failure". */
typedef void mx_expect_stale(void *context, const char *what, const char *why, const char *text);
size_t mx_expect_each_stale(const struct mx_expect *e, const struct mx_options *o,
                            const struct mx_selection *s, mx_expect_stale *each, void *context);

/* "RUN: REASON (until DAY)", cut to `room` bytes. Returns text. */
enum { MX_EXPECTED_ROOM = 8192 };
char *mx_expected_text(const struct mx_expected *x, char *text, size_t room);

#endif
