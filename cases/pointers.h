/* The check of the addresses that buffers hold. */
#ifndef MX_CASES_POINTERS_H
#define MX_CASES_POINTERS_H

#include "schema.h"

/* Whether each entry can be evaluated, at any addresses of the buffers. */
int pointers_check(const struct mx_plan *plan, struct mx_error *err);

#endif
