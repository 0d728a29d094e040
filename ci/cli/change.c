/* The runs that a change in a git repository touches. */
#include "change.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- runs that the change deletes ---- */

struct gone {
	struct mx_selection *s;
	bool out_of_memory;
};

static bool is_same(void *context, const char *name) {
	return !strcmp(context, name);
}

static bool is_there(const struct mx_selection *s, const char *name) {
	for (size_t i = 0; i < s->n_cases; i++)
		if (mx_case_each_run(s->cases[i], is_same, (void *)name))
			return true;
	return false;
}

static bool add_gone(void *context, const char *name) {
	struct gone *g = context;
	if (is_there(g->s, name))
		return false;
	char **grown = realloc(g->s->gone, (g->s->n_gone + 1) * sizeof *grown);
	if (grown)
		g->s->gone = grown;
	char *copy = grown ? strdup(name) : NULL;
	if (copy)
		grown[g->s->n_gone++] = copy;
	g->out_of_memory |= !copy;
	return !copy;
}

/* The text of a file at a revision in a temporary file; -1: there is none. */
static int write_old(const struct change *c, const char *base, const char *path, char name[]) {
	char what[PATH_MAX + 80];
	size_t n;
	snprintf(what, sizeof what, "%s:%s", base, path);
	char *show[] = { "git", "-C", (char *)c->root, "show", what, NULL };
	char *text = mx_git(show, true, &n);
	int file = text ? mkstemp(name) : -1;
	if (file >= 0 && write(file, text, n) != (ssize_t)n) {
		close(file);
		unlink(name);
		file = -1;
	}
	free(text);
	return file;
}

/* A file that was no case has no runs. */
static void find_gone(const struct change *c, const char *base, const char *path, struct gone *g) {
	char name[] = "/tmp/mxcheck-XXXXXX";
	struct mx_case *old = NULL;
	struct mx_error why;
	int file = write_old(c, base, path, name);
	if (file < 0)
		return;
	if (!mx_case_load(name, &old, &why))
		mx_case_each_run(old, add_gone, g);
	mx_case_free(old);
	close(file);
	unlink(name);
}

/* Those of the folder of cases, which the runs are selected from. */
static int find_all_gone(const struct mx_options *o, const struct change *c, const char *base,
                         struct mx_selection *s, struct mx_error *err) {
	struct gone g = { s, false };
	char cases[PATH_MAX];
	size_t root = strlen(c->root);
	if (!realpath(o->cases ? o->cases : "cases", cases) || strncmp(cases, c->root, root))
		return 0;
	const char *folder = cases + root + (cases[root] == '/');
	size_t n = strlen(folder);
	for (size_t i = 0; i < c->changed.n; i++) {
		const char *path = c->changed.at[i], *end = strrchr(path, '.');
		if (end && !strcmp(end, ".yaml") && !strncmp(path, folder, n) &&
		    (!n || path[n] == '/'))
			find_gone(c, base, path, &g);
	}
	return g.out_of_memory ? mx_fail(err, "out of memory") : 0;
}

size_t mx_change_each_deleted(const struct mx_options *o, const struct mx_selection *s,
                              mx_expect_stale *each, void *context) {
	if (o->allow_deleted)
		return 0;
	for (size_t i = 0; i < s->n_gone; i++)
		each(context, "run", "was deleted", s->gone[i]);
	return s->n_gone;
}

static void print_gone(const struct mx_options *o, const struct mx_selection *s) {
	for (size_t i = 0; i < s->n_gone; i++)
		printf("%sci: the change deletes %s\n", o->tap ? "# " : "", s->gone[i]);
}

int mx_change_select(const struct mx_options *o, const char *kernel_dir, struct mx_selection *s,
                     struct mx_error *err) {
	struct change c = { 0 };
	char base[64] = "";
	size_t n = 0;
	int status = find_change(o, &c, base, err);
	bool all = !status && decides_all(o, &c);
	if (!status)
		status = find_all_gone(o, &c, base, s, err);
	for (size_t i = 0; !status && i < s->n_runs; i++)
		if (all || touches(o, &c, kernel_dir, &s->runs[i]))
			s->runs[n++] = s->runs[i];
	if (!status) {
		printf("%sci: %zu files differ from %.12s; they touch %zu of %zu runs\n",
		       o->tap ? "# " : "", c.changed.n, base, n, s->n_runs);
		print_gone(o, s);
		fflush(stdout);
		s->n_runs = n;
	}
	free_files(&c.changed);
	free_files(&c.tracked);
	return status;
}
