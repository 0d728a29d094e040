/* The text of a case file with other runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* A stretch of the text, and what replaces it. */
struct edit {
	size_t from, to;
	char text[1024];
};

/* The stretch of a key of the root with its value: whole lines. */
static bool find(struct source *s, const char *key, struct edit *e) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
	     p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = yaml_document_get_node(&s->document, p->key);
		const yaml_node_t *v = yaml_document_get_node(&s->document, p->value);
		if (strcmp((const char *)k->data.scalar.value, key))
			continue;
		e->from = k->start_mark.index;
		e->to = v->end_mark.index;
		while (e->to > e->from && strchr(" \n\r\t", s->text[e->to - 1]))
			e->to--;
		return true;
	}
	return false;
}

static void print_run(const struct mx_case_run *run, char *text, size_t room) {
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
		n += (size_t)snprintf(text + n, room - n, "%s%s: %" PRId64,
		                      others ? ", " : "sizes: {", size->name, size->value);
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

static char *apply(const struct source *s, const struct edit *e) {
	char *text = calloc(1, s->length + strlen(e->text) + 1);
	if (!text)
		return NULL;
	memcpy(text, s->text, e->from);
	strcat(text, e->text);
	strncat(text, s->text + e->to, s->length - e->to);
	return text;
}

char *mx_case_with_run(const struct mx_case *c, const struct mx_case_run *run,
                       struct mx_error *err) {
	struct source s;
	struct edit e;
	char *text = NULL;
	if (source_open(&s, c->path, err))
		return NULL;
	if (!find(&s, "runs", &e))
		mx_fail(err, "%s: it has no runs", c->path);
	else {
		print_run(run, e.text, sizeof e.text);
		if (!(text = apply(&s, &e)))
			mx_fail(err, "out of memory");
	}
	source_close(&s);
	return text;
}
