/* Files of measured profiles: the schema, and the profiles of their fields. */
#include "profile_file.h"
#include "../../cases/waivers.h"
#include "../../ref/mma/matrix_profiles.h"
#include "family.h"

#include <string.h>

static const cyaml_strval_t fidelities[] = {
	{ "measured", MX_MEASURED },
	{ "assumed", MX_ASSUMED },
};

#define STRING(type, field) CYAML_FIELD_STRING_PTR(#field, 0, type, field, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t field_fields[] = {
	STRING(struct mx_profile_field, field),
	CYAML_FIELD_UINT("value", 0, struct mx_profile_field, value),
	CYAML_FIELD_ENUM("fidelity", CYAML_FLAG_STRICT, struct mx_profile_field, fidelity,
	                 fidelities, 2),
	STRING(struct mx_profile_field, source),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t field = { CYAML_VALUE_MAPPING(0, struct mx_profile_field,
	                                                        field_fields) };

static const cyaml_schema_field_t row_fields[] = {
	STRING(struct mx_profile_row, name),
	CYAML_FIELD_UINT("questions", 0, struct mx_profile_row, questions),
	CYAML_FIELD_UINT("random", 0, struct mx_profile_row, random),
	CYAML_FIELD_SEQUENCE_COUNT("fields", CYAML_FLAG_POINTER, struct mx_profile_row, fields,
	                           n_fields, &field, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t row = { CYAML_VALUE_MAPPING(0, struct mx_profile_row,
	                                                      row_fields) };

static const cyaml_schema_field_t file_fields[] = {
	STRING(struct mx_profile_file, device),
	STRING(struct mx_profile_file, driver),
	STRING(struct mx_profile_file, date),
	CYAML_FIELD_SEQUENCE_COUNT("profiles", CYAML_FLAG_POINTER, struct mx_profile_file, profiles,
	                           n, &row, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = { CYAML_VALUE_MAPPING(
	CYAML_FLAG_POINTER, struct mx_profile_file, file_fields) };

static bool is_again(const struct mx_profile_row *r, unsigned i) {
	for (unsigned j = 0; j < i; j++)
		if (!strcmp(r->fields[j].field, r->fields[i].field))
			return true;
	return false;
}

/* Whether each field exists, once; *wrong is one that does not. */
static bool make_profile(struct mx_profile_row *r, const char *device, const char **wrong) {
	r->profile = (mx_profile){
		.name = r->name, .fidelity = MX_MEASURED, .source = device, .parts = 1
	};
	for (unsigned i = 0; i < r->n_fields; i++) {
		const struct mx_family_field *f = mx_family_by_name(r->fields[i].field);
		*wrong = r->fields[i].field;
		if (!f || is_again(r, i))
			return false;
		*mx_family_value(&r->profile, f) = r->fields[i].value;
	}
	return true;
}

static bool is_named_again(const struct mx_profile_file *f, unsigned i) {
	for (unsigned j = 0; j < i; j++)
		if (!strcmp(f->profiles[j].name, f->profiles[i].name))
			return true;
	return false;
}

static int check(struct source *s, struct mx_profile_file *f, struct mx_error *err) {
	const yaml_node_t *rows =
		source_key(s, yaml_document_get_root_node(&s->document), "profiles");
	for (unsigned i = 0; i < f->n; i++) {
		unsigned line = source_line(source_entry(s, rows, i));
		const char *wrong = NULL;
		if (is_named_again(f, i))
			return source_fail(err, s, line, "profiles[%u]: %s is there twice", i,
			                   f->profiles[i].name);
		if (!make_profile(&f->profiles[i], f->device, &wrong))
			return source_fail(err, s, line,
			                   "profiles[%u]: field %s: unknown, or given twice", i,
			                   wrong);
		if (mx_profile_check(&f->profiles[i].profile))
			return source_fail(err, s, line,
			                   "profiles[%u]: its fields contradict each other", i);
		if (mx_matrix_profile_check(&f->profiles[i].profile))
			return source_fail(err, s, line, "profiles[%u]: %s cannot have field %s", i,
			                   f->profiles[i].name,
			                   f->profiles[i].profile.align ? "align" : "bits");
	}
	return 0;
}

static int read_source(struct source *s, struct mx_profile_file **f, struct mx_error *err) {
	void *data;
	if (source_check_keys(s, &schema, err) || source_read(s, &schema, &data, err))
		return -1;
	*f = data;
	if (!check(s, *f, err))
		return 0;
	mx_profile_file_free(*f);
	*f = NULL;
	return -1;
}

int mx_profile_file_read(const char *path, struct mx_profile_file **f, struct mx_error *err) {
	struct source s;
	*f = NULL;
	if (source_open(&s, path, err))
		return -1;
	int status = read_source(&s, f, err);
	source_close(&s);
	return status;
}

void mx_profile_file_free(struct mx_profile_file *f) {
	source_free(&schema, f);
}
