/* Lists of profiles by name and file. */
#define _GNU_SOURCE
#include "profile_list.h"

#include <stdlib.h>
#include <string.h>

#include "../../cases/depends.h"
#include "../../oracle/arithmetic.h"

static int append(struct mx_profile_list *l, const mx_profile *p, struct mx_error *err) {
	if (l->n == MX_ELEMENT_PROFILES)
		return mx_fail(err, "--profile: more than %d profiles", MX_ELEMENT_PROFILES);
	l->profile[l->n++] = p;
	return 0;
}

/* The profiles of a file that have steps, or the one called `name`; that of i8 has none. */
static int append_file(struct mx_profile_list *l, const char *path, const char *name,
                       struct mx_error *err) {
	size_t before = l->n;
	struct mx_profile_file *f;
	if (l->files == MX_PROFILE_FILES)
		return mx_fail(err, "--profile: more than %d files", MX_PROFILE_FILES);
	if (mx_profile_file_read(path, &f, err))
		return -1;
	l->file[l->files++] = f;
	for (unsigned i = 0; i < f->n; i++) {
		const struct mx_profile_row *r = &f->profiles[i];
		if (r->profile.group && (!name || !strcmp(name, r->name)) &&
		    append(l, &r->profile, err))
			return -1;
	}
	return l->n > before ? 0
	                     : mx_fail(err, "%s: no profile%s%s for the formats of mfma", path,
	                               name ? " " : "", name ? name : "");
}

static int append_text(struct mx_profile_list *l, char *text, struct mx_error *err) {
	const mx_profile *p = mx_profile_by_name(text);
	const char *name;
	size_t bytes = mx_profile_file(text, &name);
	if (p)
		return append(l, p, err);
	if (!bytes)
		return mx_no_profile("--profile", text, err);
	text[bytes] = 0;
	return append_file(l, text, name, err);
}

int mx_profile_list_make(struct mx_profile_list *l, const char *text, struct mx_error *err) {
	const mx_profile *p;
	char *copy = text ? strdup(text) : NULL, *rest = copy, *one;
	int status = text && !copy ? mx_fail(err, "out of memory") : 0;
	*l = (struct mx_profile_list){ .n = 0 };
	for (size_t i = 0; !text && !status && (p = mx_profile_at(i)); i++)
		status = append(l, p, err);
	while (!status && (one = strsep(&rest, ",")))
		status = append_text(l, one, err);
	free(copy);
	if (status)
		mx_profile_list_free(l);
	return status;
}

void mx_profile_list_free(struct mx_profile_list *l) {
	while (l->files)
		mx_profile_file_free(l->file[--l->files]);
}

const char *mx_profile_list_device(const struct mx_profile_list *l, const mx_profile *p) {
	for (size_t i = 0; i < l->files; i++)
		for (unsigned j = 0; j < l->file[i]->n; j++)
			if (p == &l->file[i]->profiles[j].profile)
				return l->file[i]->device;
	return "";
}
