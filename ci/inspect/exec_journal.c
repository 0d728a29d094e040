#include "exec_journal.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 10 };

/* ---- growing ---- */

/* Doubles a list of n elements that is full at a power of two. */
static void *grown(void *list, size_t n, size_t bytes) {
	bool full = !(n & (n - 1));
	return full ? realloc(list, (n ? 2 * n : 1) * bytes) : list;
}

static struct mx_exec_journal_finding *add(struct mx_exec_journal *j) {
	struct mx_exec_journal_finding *f = grown(j->findings, j->n, sizeof *f);
	if (!f)
		return NULL;
	j->findings = f;
	return &f[j->n++];
}

static bool keep(struct mx_exec_journal *j, char *line) {
	char **texts = grown(j->texts, j->n_texts, sizeof *texts);
	if (!texts)
		return false;
	j->texts = texts;
	texts[j->n_texts++] = line;
	return true;
}

/* ---- lines ---- */

static uint64_t number(const char *text) {
	return strtoull(text, NULL, 0);
}

static mx_finding_kind kind_of(const char *name) {
	mx_finding_kind k = 0;
	while (k < MX_FINDINGS && strcmp(mx_finding_name(k), name))
		k++;
	return k;
}

/* A line of another version may have a kind that this one lacks; it is left out. */
static bool read_finding(struct mx_exec_journal *j, char **f) {
	mx_finding_kind kind = kind_of(f[2]);
	struct mx_exec_journal_finding *to = kind < MX_FINDINGS ? add(j) : NULL;
	if (to)
		*to = (struct mx_exec_journal_finding){
			.kind = kind,
			.id = number(f[1]),
			.kernel = f[3],
			.grid = f[4],
			.block = f[5],
			.launch = number(f[6]),
			.object = strcmp(f[7], "-") ? f[7] : NULL,
			.address = number(f[8]),
			.text = f[9],
		};
	return to || kind == MX_FINDINGS;
}

static bool read_streams(struct mx_exec_journal *j, char **f) {
	struct mx_exec_journal_finding *to = add(j);
	if (to)
		*to = (struct mx_exec_journal_finding){
			.kind = MX_RACE_STREAMS, .id = number(f[1]), .work = f[2], .text = f[3]
		};
	return to != NULL;
}

static bool read_difference(struct mx_exec_journal *j, char **f) {
	struct mx_exec_journal_finding *to = add(j);
	if (to)
		*to = (struct mx_exec_journal_finding){
			.kind = MX_FINDINGS,
			.kernel = f[1],
			.grid = f[2],
			.block = f[3],
			.launch = number(f[4]),
			.launches = 1,
			.text = f[6],
		};
	return to != NULL;
}

/* Findings of this process are at `first` and after it. Changed results have no id. */
static void read_times(struct mx_exec_journal *j, size_t first, char **f) {
	uint64_t id = number(f[1]);
	for (size_t i = first; i < j->n; i++)
		if (j->findings[i].kind != MX_FINDINGS && j->findings[i].id == id)
			j->findings[i].launches = number(f[2]);
}

static void read_recorded(struct mx_exec_journal *j, char **f) {
	if (!*f[3]) {
		j->recorded++;
		return;
	}
	if (!j->unrecorded++) {
		j->unrecorded_kernel = f[1];
		j->unrecorded_launch = f[2];
		j->unrecorded_why = f[3];
	}
}

static void read_refused(struct mx_exec_journal *j, char **f) {
	if (!j->refused++)
		j->refused_why = f[1];
}

static void read_end(struct mx_exec_journal *j, char **f) {
	j->launches += number(f[1]);
	j->watched += number(f[2]);
	j->proved += number(f[3]);
	j->repeated += number(f[4]);
	j->unrepeated += number(f[5]);
	j->unended--;
}

/* A line of a process that died may be cut; it is left out. */
static bool read_line(struct mx_exec_journal *j, size_t first, char *line) {
	char *f[MOST_FIELDS], *rest = line;
	size_t n = 0;
	while (n < MOST_FIELDS && (f[n] = strsep(&rest, n + 1 < MOST_FIELDS ? "\t" : "")))
		n++;
	if (n == 10 && !strcmp(f[0], "finding"))
		return read_finding(j, f);
	if (n == 4 && !strcmp(f[0], "streams"))
		return read_streams(j, f);
	if (n == 7 && !strcmp(f[0], "differs"))
		return read_difference(j, f);
	if (n == 4 && !strcmp(f[0], "recorded"))
		read_recorded(j, f);
	if (n == 2 && !strcmp(f[0], "refused"))
		read_refused(j, f);
	if (n == 3 && !strcmp(f[0], "times"))
		read_times(j, first, f);
	if (n == 6 && !strcmp(f[0], "end"))
		read_end(j, f);
	return true;
}

static int read_file(struct mx_exec_journal *j, const char *path, struct mx_error *err) {
	FILE *f = fopen(path, "r");
	size_t first = j->n;
	int status = 0;
	if (!f)
		return mx_fail(err, "%s: %s", path, strerror(errno));
	j->processes++;
	j->unended++;
	while (!status) {
		char *line = NULL;
		size_t room = 0;
		ssize_t n = getline(&line, &room, f);
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = 0;
		if (n <= 0) {
			free(line);
			break;
		}
		if (!keep(j, line)) {
			free(line);
			status = mx_fail(err, "%s: out of memory", path);
		} else if (!read_line(j, first, line))
			status = mx_fail(err, "%s: out of memory", path);
	}
	fclose(f);
	return status;
}

int mx_exec_journal_read(const char *folder, struct mx_exec_journal *j, struct mx_error *err) {
	char pattern[4096];
	glob_t list = { 0 };
	int status = 0;
	*j = (struct mx_exec_journal){ 0 };
	snprintf(pattern, sizeof pattern, "%s/*.journal", folder);
	if (glob(pattern, GLOB_ERR, NULL, &list) == 0)
		for (size_t i = 0; !status && i < list.gl_pathc; i++)
			status = read_file(j, list.gl_pathv[i], err);
	globfree(&list);
	return status;
}

void mx_exec_journal_free(struct mx_exec_journal *j) {
	for (size_t i = 0; i < j->n_texts; i++)
		free(j->texts[i]);
	free(j->texts);
	free(j->findings);
}
