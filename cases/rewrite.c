/* The text of a case file with other runs, for a file in another folder. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "depends.h"
#include "source.h"

/* A stretch of the text, in bytes, and what replaces it. */
struct edit {
	size_t from, to;
	char *text;
};

struct rewriting {
	struct source s;
	const struct mx_saved_case *saved;
	struct edit *edit;
	size_t n;
	bool failed; /* no memory, or no path */
};

/* libyaml counts characters of UTF-8. */
static size_t byte_of(const struct source *s, size_t index) {
	size_t at = 0;
	while (at < s->length && (index || (s->text[at] & 0xc0) == 0x80))
		index -= (s->text[at++] & 0xc0) != 0x80;
	return at;
}

static void replace(struct rewriting *r, size_t from, size_t to, char *text) {
	struct edit *grown = realloc(r->edit, (r->n + 1) * sizeof *grown);
	r->edit = grown ? grown : r->edit;
	if (!grown || !text) {
		free(text);
		r->failed = true;
		return;
	}
	r->edit[r->n++] = (struct edit){ from, to, text };
}

/* ---- paths ---- */

/* A path as the saved file has it, quoted: relative if the file is below its folder. */
static char *quoted_path(const struct rewriting *r, const char *path) {
	char file[PATH_MAX], folder[PATH_MAX];
	if (!realpath(path, file) || !realpath(r->saved->folder, folder))
		return NULL;
	size_t n = strlen(folder), k = 0;
	const char *from = !strncmp(file, folder, n) && file[n] == '/' ? file + n + 1 : file;
	char *text = malloc(2 * strlen(from) + 3);
	if (!text)
		return NULL;
	text[k++] = '"';
	for (; *from; from++) {
		if (strchr("\"\\", *from))
			text[k++] = '\\';
		text[k++] = *from;
	}
	memcpy(text + k, "\"", 2);
	return text;
}

static void replace_path(struct rewriting *r, const yaml_node_t *at, const char *path) {
	if (at)
		replace(r, byte_of(&r->s, at->start_mark.index), byte_of(&r->s, at->end_mark.index),
		        quoted_path(r, path));
}

/* The code object of a step, or NULL: it is absent, or one of the built kernels, which every case
 * file finds. */
static const char *code_of(const struct rewriting *r, const struct mx_case *c,
                           const struct mx_variant *v, unsigned step, char path[4096]) {
	struct mx_error why;
	const char *built = r->saved->kernel_dir;
	size_t n = strlen(built);
	if (r->saved->code_object && !c->n_steps)
		return r->saved->code_object;
	if (mx_case_code(c, v, step, built, path, &why) ||
	    (!strncmp(path, built, n) && path[n] == '/'))
		return NULL;
	return path;
}

static void rewrite_code_of(struct rewriting *r, const struct mx_case *c, const yaml_node_t *at,
                            const struct mx_variant *v, unsigned step) {
	char path[4096];
	const yaml_node_t *code = source_key(&r->s, at, "code");
	const char *file = code ? code_of(r, c, v, step, path) : NULL;
	if (file)
		replace_path(r, code, file);
}

/* Of the steps, the variants and the case, of which a step takes the first. */
static void rewrite_code(struct rewriting *r, const struct mx_case *c) {
	const yaml_node_t *root = yaml_document_get_root_node(&r->s.document);
	const yaml_node_t *variants = source_key(&r->s, root, "variants");
	const yaml_node_t *steps = source_key(&r->s, root, "steps");
	unsigned bare = 0; /* the first step without a code object of its own */
	for (unsigned i = 0; i < c->n_steps; i++)
		rewrite_code_of(r, c, source_entry(&r->s, steps, i), NULL, i);
	while (bare < c->n_steps && c->steps[bare].code)
		bare++;
	if (c->n_steps && bare == c->n_steps)
		return;
	for (unsigned i = 0; i < c->n_variants; i++)
		rewrite_code_of(r, c, source_entry(&r->s, variants, i), &c->variants[i], bare);
	rewrite_code_of(r, c, root, NULL, bare);
}

static void rewrite_data(struct rewriting *r, const struct mx_case *c) {
	static const char *const keys[] = { "data", "expect" };
	const yaml_node_t *root = yaml_document_get_root_node(&r->s.document);
	const yaml_node_t *buffers = source_key(&r->s, root, "buffers");
	char path[4096];
	for (unsigned i = 0; i < c->n_buffers; i++)
		for (unsigned k = 0; k < 2; k++) {
			const char *file = k ? c->buffers[i].expect : c->buffers[i].data;
			const yaml_node_t *b = source_entry(&r->s, buffers, i);
			if (!mx_case_data_is_file(file))
				continue;
			mx_case_data_path(c, file, path, sizeof path);
			replace_path(r, source_key(&r->s, b, keys[k]), path);
		}
}

/* "FILE" or "FILE:NAME" of measured profiles. */
static void rewrite_profile(struct rewriting *r, const struct mx_case *c) {
	const yaml_node_t *root = yaml_document_get_root_node(&r->s.document);
	const yaml_node_t *at = source_key(&r->s, source_key(&r->s, root, "verdict"), "profile");
	struct mx_case own = *c;
	char path[PATH_MAX], *quoted, *text = NULL;
	const char *name;
	own.profile = NULL;
	if (!at || !mx_case_profile_file(&own, path, sizeof path, &name))
		return;
	if ((quoted = quoted_path(r, path)) &&
	    asprintf(&text, "%.*s%s%s\"", (int)strlen(quoted) - 1, quoted, name ? ":" : "",
	             name ? name : "") < 0)
		text = NULL;
	free(quoted);
	replace(r, byte_of(&r->s, at->start_mark.index), byte_of(&r->s, at->end_mark.index), text);
}

/* ---- runs ---- */

/* The key `runs` with its value: whole lines. */
static bool find_runs(struct source *s, size_t *from, size_t *to) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
	     p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(&s->document, p->key);
		const yaml_node_t *v = yaml_document_get_node(&s->document, p->value);
		if (strcmp((const char *)k->data.scalar.value, "runs"))
			continue;
		*from = byte_of(s, k->start_mark.index);
		*to = byte_of(s, v->end_mark.index);
		while (*to > *from && strchr(" \n\r\t", s->text[*to - 1]))
			(*to)--;
		return true;
	}
	return false;
}

static void print_run(const struct mx_case *c, const struct mx_case_run *run, char *text,
                      size_t room) {
	size_t n = (size_t)snprintf(text, room, "runs:\n  - {");
	for (unsigned i = 0; i < run->sizes.n; i++)
		if (strlen(run->sizes.at[i].name) == 1 && strchr("MNK", *run->sizes.at[i].name))
			n += (size_t)snprintf(text + n, room - n, "%s: %" PRId64 ", ",
			                      run->sizes.at[i].name, run->sizes.at[i].value);
	bool others = false;
	for (unsigned i = 0; i < run->sizes.n; i++) {
		const struct mx_name *size = &run->sizes.at[i];
		if (strlen(size->name) == 1 && strchr("MNK", *size->name))
			continue;
		const char *choice = mx_choice_text(c, size->name, size->value);
		if (choice && !size->value)
			continue;
		n += (size_t)snprintf(text + n, room - n, "%s%s: ", others ? ", " : "sizes: {",
		                      size->name);
		n += choice ? (size_t)snprintf(text + n, room - n, "\"%s\"", choice)
		            : (size_t)snprintf(text + n, room - n, "%" PRId64, size->value);
		others = true;
	}
	n += (size_t)snprintf(text + n, room - n, "%sregime: %s, ", others ? "}, " : "",
	                      mx_regime_name(run->regime));
	for (unsigned i = 0; i < run->groups.n; i++)
		n += (size_t)snprintf(text + n, room - n, "%s%" PRId64 "%s", i ? ", " : "groups: [",
		                      run->groups.rows[i], i + 1 == run->groups.n ? "], " : "");
	if (run->tiles)
		n += (size_t)snprintf(text + n, room - n, "tiles: %u, ", run->tiles);
	snprintf(text + n, room - n, "tags: [regress]}");
}

/* A case without the key `code` gets it before its runs. */
static void rewrite_runs(struct rewriting *r, const struct mx_case *c,
                         const struct mx_case_run *run, size_t from, size_t to) {
	char runs[2048], *code = NULL, *text = NULL;
	print_run(c, run, runs, sizeof runs);
	bool lacks = !c->code && !c->n_variants && !c->n_steps && r->saved->code_object;
	if (lacks && !(code = quoted_path(r, r->saved->code_object)))
		r->failed = true;
	if (asprintf(&text, "%s%s%s%s", lacks ? "code: " : "", code ? code : "", lacks ? "\n" : "",
	             runs) < 0)
		text = NULL;
	free(code);
	replace(r, from, to, text);
}

static int by_place(const void *a, const void *b) {
	const struct edit *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

static char *apply(struct rewriting *r) {
	size_t room = r->s.length + 1, at = 0, n = 0;
	for (size_t i = 0; i < r->n; i++)
		room += strlen(r->edit[i].text);
	char *text = malloc(room);
	if (!text)
		return NULL;
	qsort(r->edit, r->n, sizeof *r->edit, by_place);
	for (size_t i = 0; i < r->n; i++) {
		const struct edit *e = &r->edit[i];
		memcpy(text + n, r->s.text + at, e->from - at);
		n += e->from - at;
		memcpy(text + n, e->text, strlen(e->text));
		n += strlen(e->text);
		at = e->to;
	}
	memcpy(text + n, r->s.text + at, r->s.length - at);
	text[n + r->s.length - at] = 0;
	return text;
}

char *mx_case_with_run(const struct mx_case *c, const struct mx_case_run *run,
                       const struct mx_saved_case *saved, struct mx_error *err) {
	struct rewriting r = { .saved = saved };
	char *text = NULL;
	size_t from, to;
	if (source_open(&r.s, c->path, err))
		return NULL;
	if (!find_runs(&r.s, &from, &to))
		mx_fail(err, "%s: it has no runs", c->path);
	else {
		rewrite_code(&r, c);
		rewrite_data(&r, c);
		rewrite_profile(&r, c);
		rewrite_runs(&r, c, run, from, to);
		if (r.failed || !(text = apply(&r)))
			mx_fail(err, "%s: cannot be saved: no memory, or a file is absent",
			        c->path);
	}
	for (size_t i = 0; i < r.n; i++)
		free(r.edit[i].text);
	free(r.edit);
	source_close(&r.s);
	return text;
}
