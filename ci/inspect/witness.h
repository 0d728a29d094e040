/* The witness of a race: a short schedule that diverges, the reader, and its two writers. */
#ifndef MX_WITNESS_H
#define MX_WITNESS_H

#include "../cli/report.h"

/* Shrinks the first divergent schedule of the hunt. Sets r->witness to the lines of the report and
 * r->schedule to the schedule as text. 0, or -1 with r->err. */
int mx_witness_find(const struct mx_options *o, struct mx_bench *b, struct mx_result *r);

#endif
