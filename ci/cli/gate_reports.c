/* The reports of the runs: opened before the first, written after the last. */
#include <stdio.h>

#include "../../cases/depends.h"
#include "../../cases/files.h"
#include "../reports/github.h"
#include "../reports/html.h"
#include "../reports/junit.h"
#include "../reports/report_file.h"
#include "../reports/sarif.h"
#include "gate.h"

struct mx_record mx_gate_record(const struct mx_gate *g, double seconds) {
	return (struct mx_record){
		.o = g->o,
		.d = g->device,
		.results = g->results,
		.n = g->selection.n_runs,
		.selection = &g->selection,
		.expect = g->expect,
		.places = g->places,
		.seconds = seconds,
	};
}

static int complain(const struct mx_error *err) {
	fprintf(stderr, "mxcheck: %s\n", err->text);
	return -1;
}

int mx_gate_end_reports(struct mx_gate *g, double seconds) {
	const struct mx_record record = mx_gate_record(g, seconds);
	const struct mx_options *o = g->o;
	struct mx_error err;
	int status = 0;
	if (g->json && mx_json_end(g->json, &record, &err))
		status = complain(&err);
	if (g->history && mx_history_end(g->history, &err))
		status = complain(&err);
	if (g->history_of_emu && mx_history_end(g->history_of_emu, &err))
		status = complain(&err);
	if (o->junit && mx_junit_write(o->junit, &record, &err))
		status = complain(&err);
	if (o->sarif && mx_sarif_write(o->sarif, &record, &err))
		status = complain(&err);
	if (o->html && mx_html_write(o->html, &record, &err))
		status = complain(&err);
	if (o->github)
		mx_github_print(&record);
	return status;
}

static int refuse_same(void *path, const char *input) {
	return mx_file_same(path, input);
}

/* A report must not replace a file that the runs read. */
static int check_inputs(const struct mx_gate *g, const char *path, struct mx_error *err) {
	struct mx_error absent; /* a code object; the run reports it */
	for (size_t i = 0; i < g->selection.n_runs; i++) {
		const struct mx_selected *r = &g->selection.runs[i];
		if (mx_case_depends(r->c, r->run.variant, g->o->code_object, g->kernel_dir,
		                    refuse_same, (void *)path, &absent) > 0)
			return mx_fail(err, "%s: is an input of %s", path, r->name);
	}
	return 0;
}

/* Each device has an entry, and so trends of its own. */
static int begin_histories(struct mx_gate *g, struct mx_error *err) {
	struct mx_record record = mx_gate_record(g, 0), emu = record;
	emu.d = g->emu;
	if (g->emu && mx_history_begin(g->o->history, &emu, &g->history_of_emu, err))
		return -1;
	return mx_history_begin(g->o->history, &record, &g->history, err);
}

int mx_gate_begin_reports(struct mx_gate *g, struct mx_error *err) {
	const struct mx_record record = mx_gate_record(g, 0);
	struct mx_report_path reports[MX_REPORTS];
	struct mx_error later;
	int status = 0;
	size_t n = mx_options_reports(g->o, reports);
	for (size_t i = 0; i < n; i++)
		if (check_inputs(g, reports[i].path, err))
			return -1;
	/* If one path is wrong, the others are emptied all the same: no older report stays. */
	for (size_t i = 0; i < n; i++)
		status |= mx_report_begin(reports[i].path, status ? &later : err);
	if (status)
		return -1;
	if (g->o->save && mx_folder_check(g->o->save, err))
		return -1;
	if (g->o->history && begin_histories(g, err))
		return -1;
	return g->o->json ? mx_json_begin(g->o->json, &record, &g->json, err) : 0;
}
