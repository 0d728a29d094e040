/* Operands that a kernel quantises: what their codes and scales must become. */
#ifndef MX_CASES_QUANTISED_H
#define MX_CASES_QUANTISED_H

#include "schema.h"

/* Checks the keys `of` and `recipe` of operands. */
int quantised_check(struct source *s, const struct mx_case *c, struct mx_error *err);

/* Whether the regime's data of an operand give the numbers of this buffer. */
bool quantised_gives(const struct mx_plan *plan, unsigned i);

/* Fills the sources that have no data of their own, then the operands, from their sources. */
int quantised_fill(const struct mx_plan *plan, struct mx_data *data, struct mx_error *err);

#endif
