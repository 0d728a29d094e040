/* Groups of rows: division and layout of a case's tokens. */
#ifndef MX_CASES_GROUPS_H
#define MX_CASES_GROUPS_H

#include "fill.h"
#include "scope.h"

/* The groups of a run, or where it has none, of the case; s contains M, N and K. */
int groups_make(const struct scope *s, const struct mx_run_groups *run, int64_t M,
                struct mx_groups *g, struct mx_error *err);

/* The rows of the longest group. */
size_t groups_most(const struct mx_groups *g);

/* Sets the codes of the padding in an operand's rows from..to to 0, and the scales of its blocks to
 * 0x00. */
void groups_clear(const struct mx_groups *g, mx_groups_of of, const struct operand *o);

/* Fills a buffer of that role with integers of `width` bytes. */
void groups_fill(const struct mx_groups *g, mx_role role, size_t width, uint8_t *bytes);

#endif
