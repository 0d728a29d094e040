/* Runs of some tiles of the output: only the workgroups of these tiles run, and only what they use
 * of operands and output has data. */
#ifndef MX_CASES_TILES_H
#define MX_CASES_TILES_H

#include "scope.h"

/* Chooses up to n tiles of the plan's output: its corners, those 2^31 and 2^32 bytes and elements
 * from the start and from the end of each operand and of the output, and others. Fails if the case
 * has no tiles: its contract gives no axes, or its data or judge need the whole product. */
int tiles_make(struct mx_plan *p, unsigned n, struct mx_error *err);

/* The rows of an operand, a or b, that tile i uses. */
void tiles_rows(const struct mx_plan *p, mx_role operand, unsigned i, size_t *from, size_t *to);

#endif
