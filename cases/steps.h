/* Steps: the launches of a case, one after the other on the same buffers. */
#ifndef MX_CASES_STEPS_H
#define MX_CASES_STEPS_H

#include "schema.h"

/* The name of a step's list in messages: "kernarg", or "steps[1].kernarg". */
struct step_list {
	char text[40];
};
struct step_list step_list(const struct mx_case *c, unsigned step, const char *key);

/* The line of an entry's key in a step's list, or of the nearest enclosing part that exists. */
unsigned step_line_of(struct source *s, const struct mx_case *c, unsigned step, const char *list,
                      unsigned i, const char *key);

/* Checks that every step is complete, and has keys of its own only if the case has `steps`. */
int steps_check(struct source *s, const struct mx_case *c, struct mx_error *err);

#endif
