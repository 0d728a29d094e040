/* A buffer at a shape: the places of its lines and bytes. */
#ifndef MX_CASES_BUFFER_H
#define MX_CASES_BUFFER_H

#include "scope.h"

#define MAX_EXTENT (INT64_C(1) << 40)

/* Evaluates the sizes of buffer i. Of `in` only the place is set. */
int buffer_make(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err);

/* Checks that every buffer `in` another one ends there. */
int buffer_check_places(const struct mx_plan *p, struct mx_error *err);

#endif
