/* Contracts: the sizes for which a kernel is made, and what holds outside of them. */
#include "choice.h"
#include "contract.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const cyaml_strval_t outsides[] = {
	{ "refuse", MX_OUTSIDE_REFUSED },
	{ "in-bounds", MX_OUTSIDE_IN_BOUNDS },
};

static const cyaml_strval_t axes[] = {
	{ "x", MX_AXIS_X },
	{ "y", MX_AXIS_Y },
	{ "z", MX_AXIS_Z },
};

static const cyaml_schema_value_t text = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t size_fields[] = {
	CYAML_FIELD_STRING_PTR("name", 0, struct mx_size_contract, name, 1, CYAML_UNLIMITED),
	CYAML_FIELD_INT("min", CYAML_FLAG_OPTIONAL, struct mx_size_contract, min),
	CYAML_FIELD_INT("max", CYAML_FLAG_OPTIONAL, struct mx_size_contract, max),
	CYAML_FIELD_INT("multiple", CYAML_FLAG_OPTIONAL, struct mx_size_contract, multiple),
	CYAML_FIELD_INT("tile", CYAML_FLAG_OPTIONAL, struct mx_size_contract, tile),
	CYAML_FIELD_INT("stages", CYAML_FLAG_OPTIONAL, struct mx_size_contract, stages),
	CYAML_FIELD_ENUM("axis", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct mx_size_contract,
	                 axis, axes, COUNT(axes)),
	CYAML_FIELD_STRING_PTR("of", CYAML_FLAG_OPTIONAL, struct mx_size_contract, of, 1,
	                       CYAML_UNLIMITED),
	CYAML_FIELD_SEQUENCE_COUNT("values", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
	                           struct mx_size_contract, values, n_values, &text, 1, 16),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t size = {
	CYAML_VALUE_MAPPING(0, struct mx_size_contract, size_fields),
};

static const cyaml_schema_field_t limit_fields[] = {
	CYAML_FIELD_STRING_PTR("value", 0, struct mx_limit, value, 1, CYAML_UNLIMITED),
	CYAML_FIELD_INT("most", 0, struct mx_limit, most),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t limit = {
	CYAML_VALUE_MAPPING(0, struct mx_limit, limit_fields),
};

const cyaml_schema_field_t contract_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("sizes", CYAML_FLAG_POINTER, struct mx_contract, sizes, n_sizes,
	                           &size, 1, MX_MAX_SIZES),
	CYAML_FIELD_SEQUENCE_COUNT("limits", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
	                           struct mx_contract, limits, n_limits, &limit, 0, 16),
	CYAML_FIELD_ENUM("outside", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct mx_contract,
	                 outside, outsides, COUNT(outsides)),
	CYAML_FIELD_END,
};

/* ---- the file ---- */

static const char *fault_of(const struct mx_size_contract *s) {
	if (s->min < 0 || s->max < 0 || s->multiple < 0 || s->tile < 0 || s->stages < 0)
		return "a number is negative";
	if (s->max && s->min > s->max)
		return "min is over max";
	if (s->multiple && s->min % s->multiple)
		return "min is not a multiple of `multiple`";
	if (s->multiple && s->tile % s->multiple)
		return "tile is not a multiple of `multiple`";
	if (s->axis && !s->tile)
		return "axis without tile";
	return s->stages && !s->tile ? "stages without tile" : NULL;
}

static const int64_t *value_of(const struct mx_sizes *sizes, const char *name) {
	for (unsigned i = 0; i < sizes->n; i++)
		if (!strcmp(sizes->at[i].name, name))
			return &sizes->at[i].value;
	return NULL;
}

int contract_check(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *contract = source_key(s, root, "contract");
	const yaml_node_t *list = contract ? source_key(s, contract, "sizes") : NULL;
	for (unsigned i = 0; c->contract && i < c->contract->n_sizes; i++) {
		const struct mx_size_contract *k = &c->contract->sizes[i];
		const char *why = fault_of(k);
		if (k->of || k->values) {
			if (choice_check(s, c, i, err))
				return -1;
			continue;
		}
		if (!why && c->n_runs && !value_of(&c->runs[0].sizes, k->name))
			return source_fail(err, s, source_line(source_entry(s, list, i)),
			                   "contract.sizes[%u]: no run has the size %s", i,
			                   k->name);
		if (why)
			return source_fail(err, s, source_line(source_entry(s, list, i)),
			                   "contract.sizes[%u]: %s", i, why);
	}
	return 0;
}

/* ---- one shape ---- */

static int test_size(const struct mx_size_contract *s, int64_t v, struct mx_error *why) {
	int64_t min = s->min || s->of ? s->min : 1;
	if (v < min)
		mx_fail(why, "%s is %" PRId64 ", must be at least %" PRId64, s->name, v, min);
	else if (s->max && v > s->max)
		mx_fail(why, "%s is %" PRId64 ", must be at most %" PRId64, s->name, v, s->max);
	else if (s->multiple && v % s->multiple)
		mx_fail(why, "%s is %" PRId64 ", must be a multiple of %" PRId64, s->name, v,
		        s->multiple);
	else
		return 0;
	return 1;
}

static int test_limit(const struct scope *scope, unsigned i, struct mx_error *why) {
	const struct mx_limit *l = &scope->c->contract->limits[i];
	int64_t v;
	if (scope_eval(scope, (struct field){ "contract.limits", (int)i, ".value" }, l->value,
	               (struct range){ INT64_MIN, INT64_MAX }, &v, why))
		return -1;
	if (v <= l->most)
		return 0;
	mx_fail(why, "%s is %" PRId64 ", must be at most %" PRId64, l->value, v, l->most);
	return 1;
}

int contract_test(const struct scope *scope, const struct mx_sizes *sizes, struct mx_error *why) {
	const struct mx_contract *k = scope->c->contract;
	int status = 0;
	for (unsigned i = 0; k && !status && i < k->n_sizes; i++) {
		const int64_t *v = value_of(sizes, k->sizes[i].name);
		if (v)
			status = test_size(&k->sizes[i], *v, why);
	}
	for (unsigned i = 0; k && !status && i < k->n_limits; i++)
		status = test_limit(scope, i, why);
	return status;
}
