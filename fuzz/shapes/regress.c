/* Saves a failing trial as a case file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../cases/files.h"
#include "shapes.h"

/* The name of the run, as a file name: "gemm-mxfp4_f32-129x128x256-exact". */
static void file_name(const struct mx_shapes *s, const struct mx_trial *t, char name[MX_RUN_NAME]) {
	mx_case_run_name(s->c, &t->run, name);
	for (char *c = name; *c; c++)
		if (strchr("/,=", *c))
			*c = '-';
}

/* Makes the folder and those above it. */
static int make_folder(const char *dir, struct mx_error *err) {
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s", dir);
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
	if (!mkdir(dir, 0777) || errno == EEXIST)
		return 0;
	return mx_fail(err, "%s: %s", dir, strerror(errno));
}

int mx_trial_save(const struct mx_shapes *s, const char *dir, struct mx_shape_failure *f,
                  struct mx_error *err) {
	char name[MX_RUN_NAME];
	file_name(s, &f->trial, name);
	if (snprintf(f->saved, sizeof f->saved, "%s/%s.yaml", dir, name) >= (int)sizeof f->saved)
		return mx_fail(err, "%s: the name of the folder is too long", dir);
	struct mx_saved_case saved = { dir, s->code_object, s->kernel_dir };
	if (make_folder(dir, err))
		return -1;
	char *text = mx_case_with_run(s->c, &f->trial.run, &saved, err);
	int status = text ? 0 : -1;
	if (!status) {
		struct mx_file file = { f->saved, { { text, strlen(text) } } };
		status = mx_files_write(&file, 1, err);
	}
	free(text);
	return status;
}
