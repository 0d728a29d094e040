/* The form of a case file: one libcyaml schema for loading, freeing and checking keys. */
#ifndef MX_CASES_SCHEMA_H
#define MX_CASES_SCHEMA_H

#include <cyaml/cyaml.h>

#include "source.h"

enum { CASE_MAX_LET = 64, CASE_MAX_KERNARG = 256 };

extern const cyaml_schema_value_t case_schema;

/* Keys that are unknown, missing or given twice, and numbers with text after
 * them: libcyaml 1.3 reads "5x" as 5, and puts a key's error on the line of
 * another. */
int case_check_keys(struct source *s, struct mx_error *err);

/* The values, by libcyaml. The caller frees *c with mx_case_free. */
int case_read(struct source *s, struct mx_case **c, struct mx_error *err);

/* What must hold at every shape: names, roles, types, kernarg places. */
int case_check(struct source *s, const struct mx_case *c, struct mx_error *err);

#endif
