/* Wait states that can be removed from a nop, found from register dependences. */
#ifndef MX_MARGIN_H
#define MX_MARGIN_H

#include "mutate.h"

/* Runs the bench once under the sequential schedule and sets site->margin of every nop: the number
 * of wait states that it can lose before two dependent instructions, one before it and one after
 * it, come nearer than any pair of instructions may require. 0, or -1. */
int mx_margin_watch(struct mx_bench *b, struct mx_site *sites, size_t n, struct mx_error *err);

#endif
