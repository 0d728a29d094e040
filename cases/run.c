/* A run of a case: its name, and its code object. */
#include "case.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct mx_case_run mx_run_of(const struct mx_run_spec *spec, const struct mx_variant *v) {
	struct mx_case_run run = { spec->sizes, spec->regime, v, (unsigned)spec->tiles };
	for (unsigned i = 0; i < spec->n_groups; i++)
		run.groups.rows[run.groups.n++] = spec->groups[i];
	return run;
}

/* ",groups=0+1+128", or "". */
static void groups_text(const struct mx_run_groups *g, char *text, size_t room) {
	size_t n = 0;
	*text = 0;
	for (unsigned i = 0; i < g->n && n < room; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%" PRId64,
		                      i ? "+" : ",groups=", g->rows[i]);
}

void mx_case_run_name(const struct mx_case *c, const struct mx_case_run *run,
                      char name[MX_RUN_NAME]) {
	char sizes[MX_RUN_NAME / 2], groups[MX_RUN_NAME / 4];
	mx_sizes_text(c, &run->sizes, sizes, sizeof sizes);
	groups_text(&run->groups, groups, sizeof groups);
	snprintf(name, MX_RUN_NAME, "%s/%s%s%s%s/%s", c->name,
	         run->variant ? run->variant->name : "", run->variant ? "/" : "", sizes, groups,
	         mx_regime_name(run->regime));
}

unsigned mx_case_steps(const struct mx_case *c) {
	return c->n_steps ? c->n_steps : 1;
}

const struct mx_step_spec *mx_case_step(const struct mx_case *c, unsigned step) {
	return c->n_steps ? &c->steps[step] : &c->launch;
}

const char *mx_case_kernel(const struct mx_case *c, const struct mx_variant *v, unsigned step) {
	const struct mx_step_spec *s = mx_case_step(c, step);
	return s->kernel ? s->kernel : v && v->kernel ? v->kernel : c->kernel;
}

static const char *code_of(const struct mx_case *c, const struct mx_variant *v, unsigned step) {
	const struct mx_step_spec *s = mx_case_step(c, step);
	return s->code ? s->code : v && v->code ? v->code : c->code;
}

static bool is_there(char path[4096], const char *folder, size_t n, const char *file) {
	return snprintf(path, 4096, "%.*s/%s", (int)n, folder, file) < 4096 && !access(path, R_OK);
}

/* The first file of that name in a folder, in its folders, or in theirs. */
static bool is_below(char path[4096], const char *folder, const char *name) {
	static const char *const depth[] = { "", "*/", "*/*/" };
	char pattern[4096];
	for (unsigned i = 0; i < 3; i++) {
		glob_t found;
		int n = snprintf(pattern, sizeof pattern, "%s/%s%s", folder, depth[i], name);
		if (n >= (int)sizeof pattern || glob(pattern, 0, NULL, &found))
			continue;
		snprintf(path, 4096, "%s", found.gl_pathv[0]);
		globfree(&found);
		return true;
	}
	return false;
}

int mx_case_code(const struct mx_case *c, const struct mx_variant *v, unsigned step,
                 const char *kernel_dir, char path[4096], struct mx_error *err) {
	const char *code = code_of(c, v, step), *dir = c->code_dir;
	const char *slash = strrchr(c->path, '/');
	if (!code)
		return mx_fail(err, "%s: no code object: neither --co nor the key code names one",
		               c->path);
	const char *name = strrchr(code, '/') ? strrchr(code, '/') + 1 : code;
	if (code[0] == '/')
		return snprintf(path, 4096, "%s", code), 0;
	if (dir && (is_there(path, dir, strlen(dir), code) || is_below(path, dir, name)))
		return 0;
	if (is_there(path, slash ? c->path : ".", slash ? (size_t)(slash - c->path) : 1, code) ||
	    is_there(path, kernel_dir, strlen(kernel_dir), code))
		return 0;
	return mx_fail(err, "%s: no code object %s, neither%s%s%s beside the case nor in %s",
	               c->path, code, dir ? " in " : "", dir ? dir : "", dir ? "," : "",
	               kernel_dir);
}
