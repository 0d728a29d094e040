/* The record of a run of mxcheck. */
#include "record.h"

#include <stdlib.h>

#include "../cli/change.h"

mx_outcome mx_result_outcome(const struct mx_result *r) {
	if (r->bad_input)
		return MX_BAD_INPUT_RUN;
	if (r->expected)
		return MX_FAILED_AS_EXPECTED;
	if (mx_verdict_status(&r->verdict))
		return MX_FAILED;
	return mx_result_status(r) ? MX_STOPPED : MX_PASSED;
}

const char *mx_outcome_name(mx_outcome o) {
	static const char *const names[MX_OUTCOMES] = { "pass", "fail", "expected-failure",
		                                        "stopped", "bad-input" };
	return names[o];
}

void mx_record_count(const struct mx_record *r, size_t count[MX_OUTCOMES]) {
	for (unsigned i = 0; i < MX_OUTCOMES; i++)
		count[i] = 0;
	for (size_t i = 0; i < r->n; i++)
		count[mx_result_outcome(&r->results[i])]++;
}

char *mx_record_command(const struct mx_record *r, const struct mx_result *x) {
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return NULL;
	mx_report_command(f, r->o, r->d, x);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

const struct mx_note *mx_first_failure(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if ((int)v->notes[i].severity == mx_verdict_status(v))
			return &v->notes[i];
	return NULL;
}

size_t mx_record_each_stale(const struct mx_record *r, mx_expect_stale *each, void *context) {
	size_t n = mx_change_each_deleted(r->o, r->selection, each, context);
	return r->expect && !r->o->shards
	               ? n + mx_expect_each_stale(r->expect, r->o, r->selection, each, context)
	               : n;
}
