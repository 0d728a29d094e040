/* The runs that a change in a git repository touches. */
#include "change.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/depends.h"
#include "git.h"

/* ---- sets of files ---- */

/* Paths from the root of the repository, sorted. */
struct files {
	char *text;
	const char **at;
	size_t n;
};

static int by_name(const void *a, const void *b) {
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files that git prints, each ended by a NUL. `what`: the command, for a message. */
static int list_files(char *const *arguments, const char *what, struct files *f,
                      struct mx_error *err) {
	size_t bytes;
	*f = (struct files){ .text = mx_git(arguments, false, &bytes) };
	if (!f->text)
		return mx_fail(err, "ci: 'git %s' failed", what);
	for (size_t i = 0; i < bytes; i++)
		f->n += !f->text[i];
	if (!(f->at = calloc(f->n + 1, sizeof *f->at)))
		return mx_fail(err, "out of memory");
	const char *at = f->text;
	for (size_t i = 0; i < f->n; i++, at += strlen(at) + 1)
		f->at[i] = at;
	qsort(f->at, f->n, sizeof *f->at, by_name);
	return 0;
}

static bool has(const struct files *f, const char *name) {
	return f->n && bsearch(&name, f->at, f->n, sizeof *f->at, by_name);
}

static void free_files(struct files *f) {
	free(f->at);
	free(f->text);
}

/* ---- the change ---- */

struct change {
	char root[PATH_MAX];
	struct files changed, tracked;
};

/* An empty path is no file, and a file outside the repository is not tracked. */
static bool is_touched(const struct change *c, const char *path) {
	char real[PATH_MAX];
	size_t n = strlen(c->root);
	if (!realpath(path, real) || strncmp(real, c->root, n) || real[n] != '/')
		return true;
	return has(&c->changed, real + n + 1) || !has(&c->tracked, real + n + 1);
}

static int visit(void *context, const char *path) {
	return is_touched(context, path);
}

static bool touches(const struct mx_options *o, const struct change *c, const char *kernel_dir,
                    const struct mx_selected *run) {
	struct mx_error why;
	return mx_case_depends(run->c, run->run.variant, o->code_object, kernel_dir, visit,
	                       (void *)c, &why) != 0;
}

/* Whether a file that decides about all runs has changed. */
static bool decides_all(const struct mx_options *o, const struct change *c) {
	return (o->waive && is_touched(c, o->waive)) || (o->expect && is_touched(c, o->expect)) ||
	       (o->baseline && is_touched(c, o->baseline));
}

static int find_change(const struct mx_options *o, struct change *c, char base[64],
                       struct mx_error *err) {
	char revision[1024];
	snprintf(revision, sizeof revision, "%s^{commit}", o->base);
	char *root[] = { "git", "rev-parse", "--show-toplevel", NULL };
	char *version[] = { "git", "--version", NULL };
	char *known[] = { "git", "rev-parse", "--verify", "--quiet", revision, NULL };
	char *common[] = { "git", "merge-base", base, "HEAD", NULL };
	if (!mx_git_line(version, false, c->root, sizeof c->root))
		return mx_fail(err, "ci: git cannot be started");
	if (!mx_git_line(root, false, c->root, sizeof c->root))
		return mx_fail(err, "ci: the current folder is not in a git repository");
	if (!mx_git_line(known, false, base, 64))
		return mx_fail(err, "ci: --base %s: no such revision", o->base);
	if (!mx_git_line(common, false, base, 64))
		return mx_fail(err, "ci: --base %s: it has no commit in common with HEAD", o->base);
	char *changed[] = { "git", "-C",           c->root,         "diff", "--name-only",
		            "-z",  "--no-renames", "--no-ext-diff", base,   "--",
		            NULL };
	char *tracked[] = { "git", "-C", c->root, "ls-files", "-z", NULL };
	return list_files(changed, "diff", &c->changed, err) ||
	                       list_files(tracked, "ls-files", &c->tracked, err)
	               ? -1
	               : 0;
}

int mx_change_select(const struct mx_options *o, const char *kernel_dir, struct mx_selection *s,
                     struct mx_error *err) {
	struct change c = { 0 };
	char base[64] = "";
	size_t n = 0;
	int status = find_change(o, &c, base, err);
	bool all = !status && decides_all(o, &c);
	for (size_t i = 0; !status && i < s->n_runs; i++)
		if (all || touches(o, &c, kernel_dir, &s->runs[i]))
			s->runs[n++] = s->runs[i];
	if (!status) {
		printf("%sci: %zu files differ from %.12s; they touch %zu of %zu runs\n",
		       o->tap ? "# " : "", c.changed.n, base, n, s->n_runs);
		fflush(stdout);
		s->n_runs = n;
	}
	free_files(&c.changed);
	free_files(&c.tracked);
	return status;
}
