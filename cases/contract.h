/* Contracts: the sizes for which a kernel is made. */
#ifndef MX_CONTRACT_H
#define MX_CONTRACT_H

#include "scope.h"

extern const cyaml_schema_field_t contract_fields[];

/* Checks that do not depend on the sizes. */
int contract_check(struct source *s, const struct mx_case *c, struct mx_error *err);

/* Whether sizes keep the case's contract: 0, or 1 with the first condition that they break in
 * why->text; -1 if a limit cannot be computed. */
int contract_test(const struct scope *scope, const struct mx_sizes *sizes, struct mx_error *why);

#endif
