/* Choices: sizes of a run that stand for texts of the case. Value 0 is the case's own text, the
 * others are those that the contract lists. */
#include "choice.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "schema.h"

/* ---- the key that a choice replaces ---- */

static const struct {
	const char *key;
	size_t at; /* in struct mx_buffer_spec */
} buffer_keys[] = {
	{ "fill", offsetof(struct mx_buffer_spec, fill) },
	{ "layout", offsetof(struct mx_buffer_spec, layout) },
	{ "recipe", offsetof(struct mx_buffer_spec, recipe) },
};

static char **slot_of_buffer(const struct mx_case *c, const char *of, const char *dot) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const char *name = c->buffers[i].name;
		if (strlen(name) != (size_t)(dot - of) || strncmp(of, name, strlen(name)))
			continue;
		for (size_t k = 0; k < sizeof buffer_keys / sizeof *buffer_keys; k++)
			if (!strcmp(dot + 1, buffer_keys[k].key))
				return (char **)((char *)&c->buffers[i] + buffer_keys[k].at);
	}
	return NULL;
}

/* The case's text of "beta", "KS" or "SA.fill"; NULL: there is none. */
static char **slot_of(const struct mx_case *c, const char *of) {
	const char *dot = strchr(of, '.');
	char **slot = dot ? slot_of_buffer(c, of, dot) : NULL;
	if (!dot && c->epilogue && !strcmp(of, "alpha"))
		slot = &c->epilogue->alpha;
	if (!dot && c->epilogue && !strcmp(of, "beta"))
		slot = &c->epilogue->beta;
	for (unsigned i = 0; !dot && !slot && i < c->n_let; i++)
		if (!strcmp(of, c->let[i].name))
			slot = &c->let[i].value;
	return slot && *slot ? slot : NULL;
}

/* ---- values and texts ---- */

const struct mx_size_contract *mx_contract_of(const struct mx_case *c, const char *name) {
	for (unsigned i = 0; c->contract && i < c->contract->n_sizes; i++)
		if (!strcmp(c->contract->sizes[i].name, name))
			return &c->contract->sizes[i];
	return NULL;
}

const struct mx_size_contract *choice_find(const struct mx_case *c, const char *name) {
	const struct mx_size_contract *k = mx_contract_of(c, name);
	return k && k->of ? k : NULL;
}

static const char *own_text(const struct mx_case *c, const struct mx_size_contract *k) {
	char **slot = slot_of(c, k->of);
	return slot ? *slot : "";
}

const char *mx_choice_text(const struct mx_case *c, const char *name, int64_t value) {
	const struct mx_size_contract *k = choice_find(c, name);
	if (!k || value < 0 || value > k->n_values)
		return NULL;
	return value ? k->values[value - 1] : own_text(c, k);
}

int64_t choice_value(const struct mx_case *c, const struct mx_size_contract *k, const char *text) {
	for (unsigned i = 0; i < k->n_values; i++)
		if (!strcmp(k->values[i], text))
			return i + 1;
	return strcmp(own_text(c, k), text) ? -1 : 0;
}

static bool is_of(const char *of, const char *buffer, const char *key) {
	size_t n = buffer ? strlen(buffer) : 0;
	if (buffer && (strncmp(of, buffer, n) || of[n++] != '.'))
		return false;
	return !strcmp(of + n, key);
}

char *choice_text(const struct mx_case *c, const struct mx_sizes *sizes, const char *buffer,
                  const char *key, char *own) {
	for (unsigned i = 0; c->contract && i < c->contract->n_sizes; i++) {
		const struct mx_size_contract *k = &c->contract->sizes[i];
		int64_t value = k->of && is_of(k->of, buffer, key) ? mx_size(sizes, k->name) : 0;
		if (value > 0 && value <= k->n_values)
			return k->values[value - 1];
	}
	return own;
}

/* ---- checks ---- */

/* A run's name, a file's name and a shell command have it. */
static bool is_word(const char *text) {
	while (isalnum((unsigned char)*text) || (*text && strchr("_.+-", *text)))
		text++;
	return !*text;
}

static const char *fault_of(const struct mx_case *c, unsigned i) {
	const struct mx_size_contract *k = &c->contract->sizes[i];
	const char *why = case_bad_size(c, k->name);
	if (k->min || k->max || k->multiple || k->tile || k->stages || k->axis)
		return "a choice has no other keys than name, of and values";
	if (!k->of || !k->n_values)
		return "a choice has `of` and `values`";
	if (!slot_of(c, k->of))
		return "the case does not have what `of` names";
	for (unsigned n = 0; n < i; n++)
		if (c->contract->sizes[n].of && !strcmp(c->contract->sizes[n].of, k->of))
			return "`of` has a choice already";
	for (unsigned n = 0; n < k->n_values; n++)
		if (!is_word(k->values[n]) || choice_value(c, k, k->values[n]) != n + 1 ||
		    !strcmp(k->values[n], own_text(c, k)))
			return "values are different words of letters, digits and _ . + -";
	return why ? "its name is taken" : NULL;
}

/* The case with another text must pass the same checks. */
static int check_with(struct source *s, const struct mx_case *c, const char *of, char *text,
                      struct mx_error *why) {
	struct mx_case other = *c;
	struct mx_buffer_spec buffers[MX_MAX_BUFFERS];
	struct mx_let let[CASE_MAX_LET];
	struct mx_epilogue_spec epilogue;
	memcpy(buffers, c->buffers, c->n_buffers * sizeof *buffers);
	other.buffers = buffers;
	if (c->n_let)
		memcpy(let, c->let, c->n_let * sizeof *let);
	other.let = let;
	if (c->epilogue)
		epilogue = *c->epilogue, other.epilogue = &epilogue;
	*slot_of(&other, of) = text;
	return case_check(s, &other, why);
}

/* The message without "path:line: ". */
static const char *bare(const struct source *s, const char *message) {
	const char *end = strstr(message + strlen(s->path) + 1, ": ");
	return end ? end + 2 : message;
}

int choice_check(struct source *s, const struct mx_case *c, unsigned i, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *list = source_key(s, source_key(s, root, "contract"), "sizes");
	unsigned line = source_line(source_entry(s, list, i));
	const struct mx_size_contract *k = &c->contract->sizes[i];
	const char *fault = fault_of(c, i);
	struct mx_error why;
	if (fault)
		return source_fail(err, s, line, "contract.sizes[%u]: %s", i, fault);
	for (unsigned n = 0; n < k->n_values; n++)
		if (check_with(s, c, k->of, k->values[n], &why))
			return source_fail(err, s, line, "contract.sizes[%u]: %s: %s", i,
			                   k->values[n], bare(s, why.text));
	return 0;
}
