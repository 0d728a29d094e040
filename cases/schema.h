/* The schema of a case file: one libcyaml schema for loading, freeing and checking keys. */
#ifndef MX_CASES_SCHEMA_H
#define MX_CASES_SCHEMA_H

#include <cyaml/cyaml.h>

#include "source.h"

enum {
	CASE_MAX_VARIANTS = 1024,
	CASE_MAX_LET = 64,
	CASE_MAX_KERNARG = 256,
	CASE_MAX_POINTERS = 1024
};

extern const cyaml_schema_value_t case_schema;

/* Checks for unknown, missing and repeated keys, and for values that libcyaml 1.3 misreads: it
 * takes "5x" for 5, any word but a few for true, and a text up to its zero byte. It also reports
 * some errors with the line of another key. A value that is not of the schema's kind, or none of its
 * words, has a message that says what may stand there. */
int source_check_keys(struct source *s, const cyaml_schema_value_t *schema, struct mx_error *err);

/* Reads the values, by libcyaml. The caller frees *data with source_free. */
int source_read(struct source *s, const cyaml_schema_value_t *schema, void **data,
                struct mx_error *err);
void source_free(const cyaml_schema_value_t *schema, void *data);

/* A name of letters, digits and _, that begins with no digit. */
bool case_is_name(const char *name);

bool case_has_size(const struct mx_sizes *s, const char *name);

/* Why a size of a run may not have that name; NULL: it may. */
const char *case_bad_size(const struct mx_case *c, const char *name);

/* Reads the sizes of every run and variant. */
int case_read_sizes(struct source *s, struct mx_case *c, struct mx_error *err);
void case_free_sizes(struct mx_case *c);

/* Whether the text is a decimal or hexadecimal number of 64 bits. */
bool case_is_number(const char *text);

/* Checks that do not depend on the shape: names, roles, types, kernarg offsets. */
int case_check(struct source *s, const struct mx_case *c, struct mx_error *err);

/* The line of root[list][i][key], or of the nearest enclosing part that exists. */
unsigned case_line_of(struct source *s, const char *list, unsigned i, const char *key);

/* The buffer of that role or name, or -1. */
int case_find_role(const struct mx_case *c, mx_role role);
int case_find_buffer(const struct mx_case *c, const char *name);

/* Checks of the judges close and repack. */
int case_check_close(struct source *s, const struct mx_case *c, struct mx_error *err);
int case_check_repack(struct source *s, const struct mx_case *c, struct mx_error *err);

#endif
