/* The schedule `typical`: one fixed order with the latencies of struct mx_latencies. */
#ifndef MX_TYPICAL_H
#define MX_TYPICAL_H

#include "inflight.h"

/* The state of a workgroup's units. mx_typical_new returns false if memory is short. All three do
 * nothing under another schedule. */
bool mx_typical_new(struct mx_group *g);
void mx_typical_start(struct mx_group *g);
void mx_typical_free(struct mx_group *g);

/* The wave that issues next, after the landings before it; moves the clock to that cycle. NULL: all
 * waves are idle. */
struct mx_wave *mx_typical_pick(struct mx_group *g);

/* After an instruction: its unit is busy, and the wave may issue the next one later. */
void mx_typical_issued(struct mx_wave *w, const struct mx_inst *in);

/* The cycle at which an operation that issues now lands. */
uint64_t mx_typical_due(struct mx_wave *w, const struct mx_memop *m);

#endif
