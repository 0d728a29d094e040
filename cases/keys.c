/* Checks the keys and values of a case file against the schema, with the line of each. Values that
 * are left to libcyaml are numbers outside their type. */
#include "schema.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
	struct source *s;
	struct mx_error *err;
};

static int check_value(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                       const yaml_node_t *n);

static const cyaml_schema_field_t *field_of(const cyaml_schema_field_t *f, const char *key) {
	while (f->key && strcmp(f->key, key))
		f++;
	return f->key ? f : NULL;
}

static int check_missing(const struct walk *w, const cyaml_schema_value_t *v,
                         const yaml_node_t *mapping) {
	for (const cyaml_schema_field_t *f = v->mapping.fields; f->key; f++)
		if (!(f->value.flags & CYAML_FLAG_OPTIONAL) && !source_key(w->s, mapping, f->key))
			return source_fail(w->err, w->s, source_line(mapping), "missing key: %s",
			                   f->key);
	return 0;
}

static int check_pair(const struct walk *w, const cyaml_schema_value_t *v,
                      const yaml_node_t *mapping, const yaml_node_pair_t *pair) {
	const yaml_node_t *key = yaml_document_get_node(&w->s->document, pair->key);
	const yaml_node_t *value = yaml_document_get_node(&w->s->document, pair->value);
	if (key->type != YAML_SCALAR_NODE)
		return source_fail(w->err, w->s, source_line(key), "a key must be a name");
	const char *name = (const char *)key->data.scalar.value;
	const cyaml_schema_field_t *f = field_of(v->mapping.fields, name);
	if (!f)
		return source_fail(w->err, w->s, source_line(key), "unexpected key: %s", name);
	if (source_key(w->s, mapping, name) != value)
		return source_fail(w->err, w->s, source_line(key), "key given twice: %s", name);
	return check_value(w, &f->value, name, value);
}

static int check_mapping(const struct walk *w, const cyaml_schema_value_t *v,
                         const yaml_node_t *n) {
	for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
	     p++)
		if (check_pair(w, v, n, p))
			return -1;
	return check_missing(w, v, n);
}

static int check_entries(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                         const yaml_node_t *n) {
	size_t entries = n->data.sequence.items.top - n->data.sequence.items.start;
	if (entries < v->sequence.min)
		return source_fail(w->err, w->s, source_line(n), "%s: %zu of at least %u values",
		                   name, entries, v->sequence.min);
	if (entries > v->sequence.max)
		return source_fail(w->err, w->s, source_line(n), "%s: %zu values, at most %u", name,
		                   entries, v->sequence.max);
	return 0;
}

static int check_sequence(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                          const yaml_node_t *n) {
	const yaml_node_t *entry;
	if (check_entries(w, v, name, n))
		return -1;
	for (size_t i = 0; (entry = source_entry(w->s, n, i)); i++)
		if (check_value(w, v->sequence.entry, name, entry))
			return -1;
	return 0;
}

/* libcyaml reads a leading 0 as octal, which is not intended in a shape. */
bool case_is_number(const char *text) {
	const char *digits = text + (*text == '-');
	bool hex = !strncmp(digits, "0x", 2), octal = *digits == '0' && digits[1] && !hex;
	char *end;
	errno = 0;
	strtoll(text, &end, hex ? 16 : 10);
	return isdigit((unsigned char)*digits) && !octal && !*end && !errno;
}

static int check_number(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                        const yaml_node_t *n) {
	const char *text = (const char *)n->data.scalar.value;
	if (!case_is_number(text))
		return source_fail(w->err, w->s, source_line(n), "%s: not a number: %s", name,
		                   text);
	if (v->type == CYAML_UINT && *text == '-')
		return source_fail(w->err, w->s, source_line(n), "%s: negative: %s", name, text);
	return 0;
}

/* libcyaml takes any other word for true. */
static int check_bool(const struct walk *w, const char *name, const yaml_node_t *n) {
	const char *text = (const char *)n->data.scalar.value;
	return !strcmp(text, "true") || !strcmp(text, "false")
	               ? 0
	               : source_fail(w->err, w->s, source_line(n), "%s: not true or false: %s",
	                             name, text);
}

/* A word of a list: of an enumeration, or one of several flags. The message has the whole list. */
static int check_word(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                      const yaml_node_t *n) {
	const char *text = (const char *)n->data.scalar.value;
	char words[400] = "";
	for (uint32_t i = 0; i < v->enumeration.count; i++) {
		const char *word = v->enumeration.strings[i].str;
		size_t used = strlen(words);
		if (!strcmp(text, word))
			return 0;
		snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", word);
	}
	return source_fail(w->err, w->s, source_line(n), "%s: '%s' is not one of %s", name, text,
	                   words);
}

static int check_flags(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                       const yaml_node_t *n) {
	const yaml_node_t *entry;
	for (size_t i = 0; (entry = source_entry(w->s, n, i)); i++) {
		if (entry->type != YAML_SCALAR_NODE)
			return source_fail(w->err, w->s, source_line(entry), "%s: a list in the list",
			                   name);
		if (check_word(w, v, name, entry))
			return -1;
	}
	return 0;
}

static int check_string(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                        const yaml_node_t *n) {
	size_t length = n->data.scalar.length;
	if (length < v->string.min)
		return source_fail(w->err, w->s, source_line(n), "%s: the value is missing", name);
	if (length > v->string.max)
		return source_fail(w->err, w->s, source_line(n), "%s: %zu bytes, at most %u", name,
		                   length, v->string.max);
	return 0;
}

static int check_scalar(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                        const yaml_node_t *n) {
	if (strlen((const char *)n->data.scalar.value) != n->data.scalar.length)
		return source_fail(w->err, w->s, source_line(n), "%s: has a zero byte", name);
	switch (v->type) {
	case CYAML_INT:
	case CYAML_UINT: return check_number(w, v, name, n);
	case CYAML_BOOL: return check_bool(w, name, n);
	case CYAML_ENUM: return check_word(w, v, name, n);
	case CYAML_STRING: return check_string(w, v, name, n);
	default: return 0;
	}
}

static int check_kind(const struct walk *w, const char *name, const yaml_node_t *n,
                      yaml_node_type_t kind) {
	const char *what = kind == YAML_MAPPING_NODE    ? "a mapping, as in {key: value}"
	                   : kind == YAML_SEQUENCE_NODE ? "a list, as in [value]"
	                                                : "one value, not a list or a mapping";
	return n->type == kind ? 0
	                       : source_fail(w->err, w->s, source_line(n), "%s%smust be %s", name,
	                                     *name ? ": " : "", what);
}

static int check_value(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                       const yaml_node_t *n) {
	switch (v->type) {
	case CYAML_IGNORE: return 0; /* any names: sizes.c reads them */
	case CYAML_MAPPING:
		return check_kind(w, name, n, YAML_MAPPING_NODE) || check_mapping(w, v, n);
	case CYAML_SEQUENCE:
		return check_kind(w, name, n, YAML_SEQUENCE_NODE) || check_sequence(w, v, name, n);
	case CYAML_FLAGS:
		return check_kind(w, name, n, YAML_SEQUENCE_NODE) || check_flags(w, v, name, n);
	default:
		return check_kind(w, name, n, YAML_SCALAR_NODE) || check_scalar(w, v, name, n);
	}
}

int source_check_keys(struct source *s, const cyaml_schema_value_t *schema, struct mx_error *err) {
	struct walk w = { s, err };
	return check_value(&w, schema, "", yaml_document_get_root_node(&s->document)) ? -1 : 0;
}
