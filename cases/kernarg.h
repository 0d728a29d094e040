/* The kernarg segment: places and values of the arguments. */
#ifndef MX_CASES_KERNARG_H
#define MX_CASES_KERNARG_H

#include "case.h"

/* Bytes of the segment. Fails where arguments overlap or lie too far out;
 * then *bad is the argument, and err->text has no place in it. */
int kernarg_layout(const struct mx_case *c, size_t *bytes, unsigned *bad, struct mx_error *err);

/* Whether every value is in its type's range, buffers standing at far addresses. */
int kernarg_check(const struct mx_plan *plan, struct mx_error *err);

#endif
