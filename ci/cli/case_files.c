/* The case files of a folder. Only links are asked what they are: a system call for every file of
 * the source tree took a twentieth of a small run. */
#define _GNU_SOURCE
#include "case_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A folder, and those that it is in. */
struct folder {
	const char *path;
	const struct folder *above;
	dev_t device;
	ino_t number;
};

struct walk {
	mx_case_file_visit *each;
	void *context;
	struct mx_error *err;
};

static bool is_case_file(const char *name) {
	size_t n = strlen(name);
	return n >= 5 && !strcmp(name + n - 5, ".yaml");
}

/* Files of the folder that need a visit. */
static int is_wanted(const struct dirent *e) {
	if (e->d_type == DT_REG)
		return is_case_file(e->d_name);
	return strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
	       (e->d_type == DT_DIR || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int fail(const struct walk *w, const char *path) {
	return mx_fail(w->err, "%s: %s", path, strerror(errno));
}

/* What a file is, after links; DT_UNKNOWN: nothing that is visited, such as a link to no file. */
static int type_of(const struct walk *w, const char *path, unsigned char *type) {
	struct stat s;
	if (*type == DT_DIR || *type == DT_REG)
		return 0;
	*type = DT_UNKNOWN;
	if (stat(path, &s))
		return lstat(path, &s) ? fail(w, path) : 0;
	*type = S_ISDIR(s.st_mode) ? DT_DIR : S_ISREG(s.st_mode) ? DT_REG : DT_UNKNOWN;
	return 0;
}

static int visit_folder(const struct walk *w, const char *path, const struct folder *above);

static int visit(const struct walk *w, const struct folder *in, const struct dirent *e) {
	char path[PATH_MAX];
	unsigned char type = e->d_type;
	if (snprintf(path, sizeof path, "%s/%s", in->path, e->d_name) >= (int)sizeof path)
		return errno = ENAMETOOLONG, fail(w, in->path);
	if (type_of(w, path, &type))
		return -1;
	if (type == DT_DIR)
		return visit_folder(w, path, in);
	return type == DT_REG && is_case_file(path) ? w->each(w->context, path, w->err) : 0;
}

static bool is_inside_itself(const struct folder *f) {
	for (const struct folder *a = f->above; a; a = a->above)
		if (a->device == f->device && a->number == f->number)
			return true;
	return false;
}

static int visit_folder(const struct walk *w, const char *path, const struct folder *above) {
	struct dirent **entries;
	struct stat s;
	if (stat(path, &s))
		return fail(w, path);
	struct folder f = { path, above, s.st_dev, s.st_ino };
	if (is_inside_itself(&f))
		return 0;
	int status = 0, n = scandir(path, &entries, is_wanted, by_name);
	if (n < 0)
		return fail(w, path);
	for (int i = 0; i < n; i++) {
		status = status ? status : visit(w, &f, entries[i]);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int mx_case_files(const char *folder, mx_case_file_visit *each, void *context,
                  struct mx_error *err) {
	struct walk w = { each, context, err };
	return visit_folder(&w, folder, NULL);
}
