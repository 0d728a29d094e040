/* Choices: sizes of a run that stand for texts of the case, as a contract lists them. */
#ifndef MX_CHOICE_H
#define MX_CHOICE_H

#include "source.h"

/* The contract of a size of that name if it is a choice, or NULL. */
const struct mx_size_contract *choice_find(const struct mx_case *c, const char *name);

/* The value of a text; -1: the choice does not have it. */
int64_t choice_value(const struct mx_case *c, const struct mx_size_contract *k, const char *text);

/* The text of a key at these sizes: of a let, of `alpha` or `beta`, or of a buffer's key. `own` is
 * the case's. */
char *choice_text(const struct mx_case *c, const struct mx_sizes *sizes, const char *buffer,
                  const char *key, char *own);

/* Checks choice i of the contract: each of its texts is one that the case may have. */
int choice_check(struct source *s, const struct mx_case *c, unsigned i, struct mx_error *err);

#endif
