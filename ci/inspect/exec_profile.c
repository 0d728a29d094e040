/* The profile of mxcheck exec, as a list for libmxhip.so. */
#include "exec_profile.h"
#include "../../cases/depends.h"
#include "../../oracle/arithmetic.h"
#include "../../ref/mma/family.h"
#include "../../ref/mma/matrix_profiles.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void write_line(FILE *to, const char *name, mx_profile p) {
	const struct mx_family_field *f;
	fputs(name, to);
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		if (*mx_family_value(&p, f))
			fprintf(to, " %s=%u", f->name, *mx_family_value(&p, f));
	putc('\n', to);
}

/* The profile called `name`, for all instructions; or of each instruction of gfx950 its own. */
static void write_list(FILE *to, const struct mx_profile_file *f, const char *name) {
	struct mx_matrix_profiles known = { .dense = { NULL } };
	fprintf(to, "# measured on %s\n", f->device);
	for (unsigned i = 0; i < f->n; i++) {
		const mx_profile *p = &f->profiles[i].profile;
		if (name ? !strcmp(p->name, name) : mx_matrix_profiles_add(&known, p))
			write_line(to, name ? MX_FAMILY_ALL : p->name, *p);
	}
}

int mx_exec_profile(const char *profile, const char *folder, char *value, size_t room,
                    struct mx_error *err) {
	struct mx_profile_file *f;
	const char *name = NULL;
	if (mx_arithmetic_read(profile, &f, err)) {
		if (f)
			mx_profile_file_free(f);
		return -1;
	}
	snprintf(value, room, f ? "%s/profiles" : "%s", f ? folder : profile);
	if (!f)
		return 0;
	FILE *to = fopen(value, "w");
	mx_profile_file(profile, &name);
	if (to)
		write_list(to, f, name);
	mx_profile_file_free(f);
	return to && !fclose(to) ? 0 : mx_fail(err, "%s: %s", value, strerror(errno));
}

static bool copy(const char *from, const char *to) {
	char block[4096];
	size_t n;
	FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
	while (out && (n = fread(block, 1, sizeof block, in)))
		fwrite(block, 1, n, out);
	bool ok = out && !ferror(in) && !ferror(out);
	if (in)
		fclose(in);
	return out && !fclose(out) && ok;
}

int mx_exec_record_profile(const char *profile, const char *folder, char *value, size_t room,
                           struct mx_error *err) {
	static const char file[] = "profile.yaml";
	const char *name = NULL;
	char from[PATH_MAX], to[PATH_MAX];
	size_t bytes = mx_profile_file(profile, &name);
	if (!bytes) {
		snprintf(value, room, "%s", profile);
		return 0;
	}
	snprintf(from, sizeof from, "%.*s", (int)bytes, profile);
	snprintf(to, sizeof to, "%s/%s", folder, file);
	snprintf(value, room, "%s%s%s", file, name ? ":" : "", name ? name : "");
	return copy(from, to) ? 0 : mx_fail(err, "%s: %s", to, strerror(errno));
}
