/* The runs that a change in a git repository touches. */
#define _GNU_SOURCE
#include "change.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cases/depends.h"

extern char **environ;

/* ---- git ---- */

static char *read_all(int file, size_t *n) {
	size_t room = 1 << 12;
	char *text = malloc(room);
	ssize_t got = 1;
	*n = 0;
	while (text && got > 0) {
		if (*n + 1 == room) {
			char *grown = realloc(text, room *= 2);
			if (!grown)
				free(text);
			text = grown;
		}
		got = text ? read(file, text + *n, room - *n - 1) : -1;
		if (got > 0)
			*n += (size_t)got;
	}
	if (text)
		text[*n] = 0;
	return text;
}

/* Starts git with its standard output in *pipe_end. */
static int start_git(char *const *arguments, int *pipe_end, pid_t *pid, struct mx_error *err) {
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return mx_fail(err, "pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	int error = posix_spawnp(pid, "git", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*pipe_end = ends[0];
	if (!error)
		return 0;
	close(ends[0]);
	return mx_fail(err, "git: %s", strerror(error));
}

/* The output of git, which the caller frees; NULL with err->text. git itself says on stderr what is
 * wrong. */
static char *git(char *const *arguments, size_t *n, struct mx_error *err) {
	int output = -1, status = 0;
	pid_t pid;
	if (start_git(arguments, &output, &pid, err))
		return NULL;
	char *text = read_all(output, n);
	close(output);
	waitpid(pid, &status, 0);
	if (text && WIFEXITED(status) && !WEXITSTATUS(status))
		return text;
	free(text);
	mx_fail(err, "ci: 'git %s' failed", arguments[1]);
	return NULL;
}

/* A line of output without its end, in `line`. */
static int git_line(char *const *arguments, char *line, size_t room, struct mx_error *err) {
	size_t n;
	char *text = git(arguments, &n, err);
	if (!text)
		return -1;
	text[strcspn(text, "\n")] = 0;
	snprintf(line, room, "%s", text);
	free(text);
	return 0;
}

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

/* The files that git prints, each ended by a NUL. */
static int list_files(char *const *arguments, struct files *f, struct mx_error *err) {
	size_t bytes;
	*f = (struct files){ .text = git(arguments, &bytes, err) };
	if (!f->text)
		return -1;
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

static int find_change(const struct mx_options *o, struct change *c, char base[64],
                       struct mx_error *err) {
	char revision[1024];
	snprintf(revision, sizeof revision, "%s^{commit}", o->base);
	char *root[] = { "git", "rev-parse", "--show-toplevel", NULL };
	char *known[] = { "git", "rev-parse", "--verify", "--quiet", revision, NULL };
	char *common[] = { "git", "merge-base", base, "HEAD", NULL };
	if (git_line(root, c->root, sizeof c->root, err))
		return mx_fail(err, "ci: the current folder is not in a git repository");
	if (git_line(known, base, 64, err))
		return mx_fail(err, "ci: --base %s: no such revision", o->base);
	if (git_line(common, base, 64, err))
		return mx_fail(err, "ci: --base %s: it has no commit in common with HEAD", o->base);
	char *changed[] = { "git", "-C",           c->root,         "diff", "--name-only",
		            "-z",  "--no-renames", "--no-ext-diff", base,   "--",
		            NULL };
	char *tracked[] = { "git", "-C", c->root, "ls-files", "-z", NULL };
	return list_files(changed, &c->changed, err) || list_files(tracked, &c->tracked, err) ? -1
	                                                                                      : 0;
}

int mx_change_select(const struct mx_options *o, const char *kernel_dir, struct mx_selection *s,
                     struct mx_error *err) {
	struct change c = { 0 };
	char base[64] = "";
	size_t n = 0;
	int status = find_change(o, &c, base, err);
	bool all = !status && ((o->waive && is_touched(&c, o->waive)) ||
	                       (o->baseline && is_touched(&c, o->baseline)));
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
