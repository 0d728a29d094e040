/* Selects runs of cases, by case files, globs, tags and overrides. */
#ifndef MX_SELECT_H
#define MX_SELECT_H

#include "options.h"

struct mx_selected {
	const struct mx_case *c;
	struct mx_case_run run;
	char name[MX_RUN_NAME]; /* as in mx_plan.name */
	char tags[128];         /* separated by spaces */
};

struct mx_selection {
	struct mx_case **cases; /* owned */
	size_t n_cases;
	struct mx_waivers *waivers;           /* of --waive; owned; or NULL */
	struct mx_profile_file *profile_file; /* of --profile; owned; or NULL */
	struct mx_selected *runs;
	size_t n_runs;
	bool *glob_names; /* whether each glob names a run; owned */
	size_t n_absent; /* runs without their code object, which is not built here */
	size_t n_other;  /* runs whose code is for an architecture that the device does not have */
	const char *other; /* that architecture */
	char **gone;       /* mxcheck ci: names of runs that the change deletes; owned */
	size_t n_gone;
};

/* Calls `each` with the name of every run of a case, of every variant. Stops, and returns true,
 * when it does. */
typedef bool mx_run_name_visit(void *context, const char *name);
bool mx_case_each_run(const struct mx_case *c, mx_run_name_visit *each, void *context);

/* Loads the case file of `mxcheck run`, or every *.yaml below case_dir, and selects. */
int mx_select(const struct mx_options *o, const char *case_dir, struct mx_selection *s,
              struct mx_error *err);
void mx_selection_free(struct mx_selection *s);

#endif
