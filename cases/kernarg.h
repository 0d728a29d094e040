/* The kernarg segment: offsets and values of the arguments. */
#ifndef MX_CASES_KERNARG_H
#define MX_CASES_KERNARG_H

#include "case.h"

/* Bytes of a step's segment. Fails if arguments overlap or their offsets are too large; then *bad
 * is the argument, and err->text has no file name. */
int kernarg_layout(const struct mx_case *c, unsigned step, size_t *bytes, unsigned *bad,
                   struct mx_error *err);

/* Checks that every value is in its type's range, with buffers at high addresses. */
int kernarg_check(const struct mx_plan *plan, unsigned step, struct mx_error *err);

#endif
