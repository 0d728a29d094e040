/* Sizes of runs: M, N and K, and any other names. libcyaml has no mappings with free keys, so they
 * are read from libyaml's tree. */
#include "choice.h"
#include "schema.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shape[] = { "M", "N", "K" };

int64_t mx_size(const struct mx_sizes *s, const char *name) {
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name))
			return s->at[i].value;
	return 0;
}

bool case_has_size(const struct mx_sizes *s, const char *name) {
	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->at[i].name, name))
			return true;
	return false;
}

/* ---- from the file ---- */

static int add(struct source *s, const yaml_node_t *at, struct mx_sizes *to, const char *name,
               int64_t value, struct mx_error *err) {
	if (case_has_size(to, name))
		return source_fail(err, s, source_line(at), "sizes: %s is given twice", name);
	if (to->n == MX_MAX_SIZES)
		return source_fail(err, s, source_line(at), "sizes: more than %d", MX_MAX_SIZES);
	to->at[to->n].name = strdup(name);
	if (!to->at[to->n].name)
		return mx_fail(err, "%s: out of memory", s->path);
	to->at[to->n++].value = value;
	return 0;
}

static int read_pair(struct source *s, const struct mx_case *c, const yaml_node_pair_t *pair,
                     struct mx_sizes *to, struct mx_error *err) {
	const yaml_node_t *key = yaml_document_get_node(&s->document, pair->key);
	const yaml_node_t *value = yaml_document_get_node(&s->document, pair->value);
	const char *name = key->type == YAML_SCALAR_NODE ? (char *)key->data.scalar.value : "";
	const char *text = value->type == YAML_SCALAR_NODE ? (char *)value->data.scalar.value : "";
	if (!case_is_name(name) || strlen(name) > MX_MAX_SIZE_NAME)
		return source_fail(err, s, source_line(key),
		                   "sizes: '%s' is not a name of at most %d letters, digits and _",
		                   name, MX_MAX_SIZE_NAME);
	const struct mx_size_contract *choice = choice_find(c, name);
	int64_t chosen = choice ? choice_value(c, choice, text) : -1;
	if (choice && chosen < 0)
		return source_fail(err, s, source_line(value), "sizes: %s: not in the contract: %s",
		                   name, text);
	if (!choice && !case_is_number(text))
		return source_fail(err, s, source_line(value), "sizes: %s: not a number: %s", name,
		                   text);
	return add(s, key, to, name, choice ? chosen : strtoll(text, NULL, 0), err);
}

/* Adds the names and numbers of a mapping, which may be absent. */
static int read_named(struct source *s, const struct mx_case *c, const yaml_node_t *mapping,
                      struct mx_sizes *to, struct mx_error *err) {
	if (!mapping)
		return 0;
	if (mapping->type != YAML_MAPPING_NODE)
		return source_fail(err, s, source_line(mapping), "sizes: not {name: number, ...}");
	for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
	     p < mapping->data.mapping.pairs.top; p++)
		if (read_pair(s, c, p, to, err))
			return -1;
	return 0;
}

/* M, N and K are keys of the run itself. */
static int read_run(struct source *s, const struct mx_case *c, const yaml_node_t *run,
                    struct mx_run_spec *r, struct mx_error *err) {
	const int64_t value[] = { r->M, r->N, r->K };
	for (unsigned i = 0; i < 3; i++) {
		const yaml_node_t *at = source_key(s, run, shape[i]);
		if (at && add(s, at, &r->sizes, shape[i], value[i], err))
			return -1;
	}
	const yaml_node_t *sizes = source_key(s, run, "sizes");
	if (read_named(s, c, sizes, &r->sizes, err))
		return -1;
	if (!r->sizes.n)
		return source_fail(err, s, source_line(run), "missing key: M, N and K, or sizes");
	return 0;
}

int case_read_sizes(struct source *s, struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *runs = source_key(s, root, "runs"),
			  *variants = source_key(s, root, "variants");
	for (unsigned i = 0; i < c->n_variants; i++) {
		const yaml_node_t *v = source_entry(s, variants, i);
		if (read_named(s, c, source_key(s, v, "sizes"), &c->variants[i].sizes, err))
			return -1;
	}
	for (unsigned i = 0; i < c->n_runs; i++)
		if (read_run(s, c, source_entry(s, runs, i), &c->runs[i], err))
			return -1;
	return 0;
}

static void free_named(struct mx_sizes *s) {
	for (unsigned i = 0; i < s->n; i++)
		free((char *)s->at[i].name);
}

void case_free_sizes(struct mx_case *c) {
	for (unsigned i = 0; i < c->n_runs; i++)
		free_named(&c->runs[i].sizes);
	for (unsigned i = 0; i < c->n_variants; i++)
		free_named(&c->variants[i].sizes);
}

/* ---- as text ---- */

static bool is_product(const struct mx_sizes *s) {
	return s->n >= 3 && !strcmp(s->at[0].name, "M") && !strcmp(s->at[1].name, "N") &&
	       !strcmp(s->at[2].name, "K");
}

void mx_sizes_text(const struct mx_case *c, const struct mx_sizes *s, char *text, size_t room) {
	size_t n = 0;
	text[0] = 0;
	for (unsigned i = 0; i < s->n && n < room; i++) {
		bool plain = is_product(s) && i < 3;
		const char *choice = mx_choice_text(c, s->at[i].name, s->at[i].value);
		const char *mark = !n ? "" : plain ? "x" : ",";
		if (choice && s->at[i].value)
			n += (size_t)snprintf(text + n, room - n, "%s%s=%s", mark, s->at[i].name,
			                      choice);
		else if (choice)
			continue;
		else if (plain)
			n += (size_t)snprintf(text + n, room - n, "%s%" PRId64, mark,
			                      s->at[i].value);
		else
			n += (size_t)snprintf(text + n, room - n, "%s%s=%" PRId64, mark,
			                      s->at[i].name, s->at[i].value);
	}
}

void mx_sizes_add_choices(const struct mx_case *c, struct mx_sizes *s) {
	for (unsigned i = 0; c->contract && i < c->contract->n_sizes; i++) {
		const char *name = c->contract->sizes[i].name;
		if (c->contract->sizes[i].of && !case_has_size(s, name) && s->n < MX_MAX_SIZES)
			s->at[s->n++] = (struct mx_name){ name, 0 };
	}
}

/* ---- --shape ---- */

enum { MAX_VALUE = 64 };

/* One size of a text: its name, of M, N and K if it is the i-th without one, and its value. False
 * at an error. */
static bool next(const char **at, unsigned i, char name[MX_MAX_SIZE_NAME + 1],
                 char value[MAX_VALUE]) {
	size_t n = strcspn(*at, "=,");
	bool named = (*at)[n] == '=';
	if (named ? !n || n > MX_MAX_SIZE_NAME : i >= 3)
		return false;
	snprintf(name, MX_MAX_SIZE_NAME + 1, "%.*s", named ? (int)n : 1, named ? *at : shape[i]);
	*at += named ? n + 1 : 0;
	n = strcspn(*at, ",");
	snprintf(value, MAX_VALUE, "%.*s", (int)n, *at);
	if (!n || n >= MAX_VALUE || strchr(value, '=') || !((*at)[n] ? (*at)[n + 1] : 1))
		return false;
	*at += n + ((*at)[n] == ',');
	return true;
}

static bool is_positive(const char *text, int64_t *value) {
	char *end;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return isdigit((unsigned char)*text) && !errno && !*end && *value > 0;
}

bool mx_sizes_check(const char *text) {
	char name[MX_MAX_SIZE_NAME + 1], value[MAX_VALUE];
	int64_t number;
	unsigned plain = 0, i = 0;
	for (const char *at = text; !i || *at; i++) {
		bool named = at[strcspn(at, "=,")] == '=';
		plain += !named;
		if (!next(&at, i, name, value) || (!named && !is_positive(value, &number)))
			return false;
	}
	return plain == 0 || plain == 3;
}

/* The choice of that name is added if the run does not have it. */
static struct mx_name *find(const struct mx_case *c, struct mx_sizes *s, const char *name) {
	const struct mx_size_contract *choice = choice_find(c, name);
	unsigned k = 0;
	while (k < s->n && strcmp(s->at[k].name, name))
		k++;
	if (k == s->n && choice && s->n < MX_MAX_SIZES)
		s->at[s->n++] = (struct mx_name){ choice->name, 0 };
	return k < s->n ? &s->at[k] : NULL;
}

int mx_sizes_replace(const struct mx_case *c, struct mx_sizes *s, const char *text,
                     struct mx_error *err) {
	char name[MX_MAX_SIZE_NAME + 1], value[MAX_VALUE];
	const char *at = text;
	for (unsigned i = 0; *at && next(&at, i, name, value); i++) {
		const struct mx_size_contract *choice = choice_find(c, name);
		struct mx_name *size = find(c, s, name);
		if (!size)
			return mx_fail(err, "no size %s in this run", name);
		if (choice && (size->value = choice_value(c, choice, value)) < 0)
			return mx_fail(err, "%s: not in the contract: %s", name, value);
		if (!choice && !is_positive(value, &size->value))
			return mx_fail(err, "%s: not a number from 1 to 2^63 - 1: %s", name, value);
	}
	return 0;
}
