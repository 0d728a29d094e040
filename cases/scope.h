/* The names of a case's expressions at a shape, and the location of an expression. */
#ifndef MX_CASES_SCOPE_H
#define MX_CASES_SCOPE_H

#include "schema.h"

/* A location in the file for messages: { "buffers", 2, ".ld" } is "buffers[2].ld", { "lds", -1, ""
 * } is "lds". */
struct field {
	const char *list;
	int i;
	const char *member;
};

/* mx_fail with "path: field: " before it. */
__attribute__((format(printf, 4, 5))) int field_fail(struct mx_error *err, const struct mx_case *c,
                                                     struct field at, const char *format, ...);

struct scope {
	const struct mx_case *c;
	const struct mx_sizes *sizes; /* of the run */
	struct mx_name names[3 + 3 * MX_MAX_SIZES + CASE_MAX_LET + MX_MAX_BUFFERS];
	size_t n;
	struct mx_groups groups;
};

/* The sizes of a plan's run and of its variant, with groups also G and R, and every let, in file
 * order: a let may use those before it. The plan has the members of its run. */
int scope_make(struct scope *scope, const struct mx_plan *p, struct mx_error *err);

void scope_add(struct scope *scope, const char *name, int64_t value);

struct range {
	int64_t least, most;
};

/* The value of the expression `text`; fails if it is outside the range. `at` is its location. */
int scope_eval(const struct scope *scope, struct field at, const char *text, struct range range,
               int64_t *value, struct mx_error *err);

#endif
