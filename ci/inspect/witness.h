/* The witness of a race: a short schedule that diverges, and the two instructions that matter. */
#ifndef MX_WITNESS_H
#define MX_WITNESS_H

#include "../cli/report.h"

/* Shrinks the first diverging schedule of the hunt; r->witness gets what is to be said of it, and
 * r->schedule the schedule as text. 0, or -1 with r->err. */
int mx_witness_find(const struct mx_options *o, struct mx_bench *b, struct mx_result *r);

#endif
