/* How much of a nop nobody needs, without the rules of wait states: from what depends on what. */
#ifndef MX_SLACK_H
#define MX_SLACK_H

#include "mutate.h"

/* Runs the bench once under the sequential schedule, and sets site->margin of every nop: it may
 * give so many wait states less before two instructions, one before it and one behind it, of which
 * one needs the other's registers, come closer than any two such instructions may have to be apart.
 * 0, or -1. */
int mx_margin_watch(struct mx_bench *b, struct mx_site *sites, size_t n, struct mx_error *err);

#endif
