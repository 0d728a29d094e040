/* Steps: the launches of a case, one after the other on the same buffers. */
#include "steps.h"
#include "kernarg.h"

#include <stdio.h>

struct step_list step_list(const struct mx_case *c, unsigned step, const char *key) {
	struct step_list list;
	if (c->n_steps)
		snprintf(list.text, sizeof list.text, "steps[%u].%s", step, key);
	else
		snprintf(list.text, sizeof list.text, "%s", key);
	return list;
}

/* The mapping that has the keys of a step. */
static const yaml_node_t *node_of(struct source *s, const struct mx_case *c, unsigned step) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	return c->n_steps ? source_entry(s, source_key(s, root, "steps"), step) : root;
}

unsigned step_line_of(struct source *s, const struct mx_case *c, unsigned step, const char *list,
                      unsigned i, const char *key) {
	const yaml_node_t *mapping = node_of(s, c, step);
	const yaml_node_t *sequence = source_key(s, mapping, list);
	const yaml_node_t *entry = sequence ? source_entry(s, sequence, i) : NULL;
	const yaml_node_t *value = entry ? source_key(s, entry, key) : NULL;
	return source_line(value ? value : entry ? entry : sequence ? sequence : mapping);
}

/* A step needs these keys. */
static int check_needs(struct source *s, const struct mx_case *c, unsigned step,
                       struct mx_error *err) {
	static const char *const needs[] = { "grid", "block", "kernarg" };
	const yaml_node_t *mapping = node_of(s, c, step);
	char in[24] = "";
	if (c->n_steps)
		snprintf(in, sizeof in, "steps[%u]: ", step);
	for (unsigned i = 0; i < 3; i++)
		if (!source_key(s, mapping, needs[i]))
			return source_fail(err, s, source_line(mapping), "%smissing key: %s", in,
			                   needs[i]);
	for (unsigned v = 0; v < c->n_variants || !v; v++)
		if (!mx_case_kernel(c, c->n_variants ? &c->variants[v] : NULL, step))
			return source_fail(
				err, s, source_line(mapping), "%smissing key: kernel%s", in,
				c->n_variants ? ", which a variant does not have either" : "");
	return 0;
}

/* With `steps` a launch has its keys there. */
static int check_apart(struct source *s, const struct mx_case *c, struct mx_error *err) {
	static const char *const own[] = { "kernel", "grid",    "block",       "cluster",
		                           "lds",    "kernarg", "kernarg_size" };
	const yaml_node_t *root = yaml_document_get_root_node(&s->document), *key;
	for (unsigned i = 0; c->n_steps && i < sizeof own / sizeof *own; i++)
		if ((key = source_key(s, root, own[i])))
			return source_fail(err, s, source_line(key),
			                   "%s: the case has steps, each with its own", own[i]);
	return 0;
}

/* A code object or a kernel that no step uses is a mistake. */
static int check_used(struct source *s, const struct mx_case *c, struct mx_error *err) {
	bool code = !c->n_steps, kernel = !c->n_steps;
	for (unsigned i = 0; i < c->n_steps; i++) {
		code |= !c->steps[i].code;
		kernel |= !c->steps[i].kernel;
	}
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	if (c->code && !code)
		return source_fail(err, s, source_line(source_key(s, root, "code")),
		                   "code: each step has its own");
	for (unsigned i = 0; i < c->n_variants; i++) {
		const struct mx_variant *v = &c->variants[i];
		const char *key = v->code && !code       ? "code"
		                  : v->kernel && !kernel ? "kernel"
		                                         : NULL;
		if (key)
			return source_fail(err, s, case_line_of(s, "variants", i, key),
			                   "variants[%u].%s: each step has its own", i, key);
	}
	return 0;
}

static int check_kernarg(struct source *s, const struct mx_case *c, unsigned step,
                         struct mx_error *err) {
	struct mx_error why;
	size_t bytes;
	unsigned bad;
	if (!kernarg_layout(c, step, &bytes, &bad, &why))
		return 0;
	return source_fail(err, s, step_line_of(s, c, step, "kernarg", bad, "offset"), "%s",
	                   why.text);
}

int steps_check(struct source *s, const struct mx_case *c, struct mx_error *err) {
	if (check_apart(s, c, err) || check_used(s, c, err))
		return -1;
	for (unsigned i = 0; i < mx_case_steps(c); i++)
		if (check_needs(s, c, i, err) || check_kernarg(s, c, i, err))
			return -1;
	return 0;
}
