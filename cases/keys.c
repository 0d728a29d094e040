/* Checks the keys of a case file against the schema, with the line of each. */
#include "schema.h"

#include <ctype.h>
#include <errno.h>
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

static int check_sequence(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                          const yaml_node_t *n) {
	const yaml_node_t *entry;
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

static int check_scalar(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                        const yaml_node_t *n) {
	if (strlen((const char *)n->data.scalar.value) != n->data.scalar.length)
		return source_fail(w->err, w->s, source_line(n), "%s: has a zero byte", name);
	switch (v->type) {
	case CYAML_INT:
	case CYAML_UINT: return check_number(w, v, name, n);
	case CYAML_BOOL: return check_bool(w, name, n);
	default: return 0;
	}
}

/* libcyaml reports a node of another kind than the schema's. */
static int check_value(const struct walk *w, const cyaml_schema_value_t *v, const char *name,
                       const yaml_node_t *n) {
	if (v->type == CYAML_MAPPING && n->type == YAML_MAPPING_NODE)
		return check_mapping(w, v, n);
	if (v->type == CYAML_SEQUENCE && n->type == YAML_SEQUENCE_NODE)
		return check_sequence(w, v, name, n);
	return n->type == YAML_SCALAR_NODE ? check_scalar(w, v, name, n) : 0;
}

int source_check_keys(struct source *s, const cyaml_schema_value_t *schema, struct mx_error *err) {
	struct walk w = { s, err };
	return check_value(&w, schema, "", yaml_document_get_root_node(&s->document));
}
