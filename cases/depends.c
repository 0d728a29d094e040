/* The files on which a run of a case depends. */
#define _GNU_SOURCE
#include "depends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mx_case_data_is_file(const char *data) {
	size_t n = data ? strlen(data) : 0;
	return n > 4 && !strcmp(data + n - 4, ".npy");
}

void mx_case_data_path(const struct mx_case *c, const char *file, char *path, size_t room) {
	const char *slash = strrchr(c->path, '/');
	int folder = slash && file[0] != '/' ? (int)(slash + 1 - c->path) : 0;
	snprintf(path, room, "%.*s%s", folder, c->path, file);
}

static int visit_data(const struct mx_case *c, const char *file, mx_visit_file *visit,
                      void *context) {
	char path[4096];
	if (!mx_case_data_is_file(file))
		return 0;
	mx_case_data_path(c, file, path, sizeof path);
	return visit(context, path);
}

size_t mx_profile_file(const char *text, const char **name) {
	static const char suffix[] = ".yaml";
	const char *end = strstr(text, suffix);
	while (end && end[sizeof suffix - 1] && end[sizeof suffix - 1] != ':')
		end = strstr(end + 1, suffix);
	if (!end)
		return 0;
	end += sizeof suffix - 1;
	*name = *end ? end + 1 : NULL;
	return (size_t)(end - text);
}

bool mx_case_profile_file(const struct mx_case *c, char *path, size_t room, const char **name) {
	const char *text = c->profile ? c->profile : c->verdict.profile;
	size_t bytes = text ? mx_profile_file(text, name) : 0;
	char *file = bytes ? strndup(text, bytes) : NULL;
	if (!file)
		return false;
	if (c->profile)
		snprintf(path, room, "%s", file);
	else
		mx_case_data_path(c, file, path, room);
	free(file);
	return true;
}

static int visit_profile(const struct mx_case *c, mx_visit_file *visit, void *context) {
	char path[4096];
	const char *name;
	return mx_case_profile_file(c, path, sizeof path, &name) ? visit(context, path) : 0;
}

/* With code_object the step's own code object need not be there. */
static int visit_code(const struct mx_case *c, const struct mx_variant *v, unsigned step,
                      const char *code_object, const char *kernel_dir, mx_visit_file *visit,
                      void *context, struct mx_error *err) {
	char path[4096];
	if (code_object && mx_case_steps(c) == 1)
		return 0;
	if (mx_case_code(c, v, step, kernel_dir, path, err))
		return code_object ? 0 : -1;
	return visit(context, path);
}

int mx_case_depends(const struct mx_case *c, const struct mx_variant *v, const char *code_object,
                    const char *kernel_dir, mx_visit_file *visit, void *context,
                    struct mx_error *err) {
	int status = visit(context, c->path);
	if (!status)
		status = visit_profile(c, visit, context);
	if (!status && code_object)
		status = visit(context, code_object);
	for (unsigned i = 0; !status && i < mx_case_steps(c); i++)
		status = visit_code(c, v, i, code_object, kernel_dir, visit, context, err);
	for (unsigned i = 0; !status && i < c->n_buffers; i++) {
		status = visit_data(c, c->buffers[i].data, visit, context);
		if (!status)
			status = visit_data(c, c->buffers[i].expect, visit, context);
	}
	return status;
}
