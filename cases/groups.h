/* Groups of rows: how a case's tokens are divided and laid out. */
#ifndef MX_CASES_GROUPS_H
#define MX_CASES_GROUPS_H

#include "fill.h"
#include "scope.h"

/* Evaluates the case's groups; s has M, N and K. */
int groups_make(const struct scope *s, struct mx_groups *g, int64_t M, struct mx_error *err);

/* The longest one's rows. */
size_t groups_most(const struct mx_groups *g);

/* Codes of an operand's padding become 0. */
void groups_clear(const struct mx_groups *g, mx_groups_of of, const struct operand *o);

/* What a buffer of that role has: integers of `width` bytes. */
void groups_fill(const struct mx_groups *g, mx_role role, size_t width, uint8_t *bytes);

#endif
