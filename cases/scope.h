/* The names that a case's expressions may use at a shape, and where an expression stands. */
#ifndef MX_CASES_SCOPE_H
#define MX_CASES_SCOPE_H

#include "schema.h"

/* A place in the file as an error says it: { "buffers", 2, ".ld" } is "buffers[2].ld",
 * { "lds", -1, "" } is "lds". */
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
	struct mx_name names[5 + CASE_MAX_LET + MX_MAX_BUFFERS];
	size_t n;
	struct mx_groups groups;
};

/* M, N, K, of groups G and R, and every let, in file order: a let sees those before it. */
int scope_make(struct scope *scope, const struct mx_case *c, int64_t M, int64_t N, int64_t K,
               struct mx_error *err);

void scope_add(struct scope *scope, const char *name, int64_t value);

struct range {
	int64_t least, most;
};

/* The value of the expression `text` at `at`; fails outside the range, too. */
int scope_eval(const struct scope *scope, struct field at, const char *text, struct range range,
               int64_t *value, struct mx_error *err);

#endif
