/* Race hunts of mxcheck: progress, and the report. */
#ifndef MX_HUNT_REPORT_H
#define MX_HUNT_REPORT_H

#include "report.h"

/* Hunts with a bench whose first run is judged; r gets counts and findings. 0, or -1 with r->err.
 */
int mx_hunt(const struct mx_options *o, const char *kernel_dir, struct mx_bench *b,
            struct mx_result *r);

/* Prints a rate and its population, and the count of each result; never "race-free". */
void mx_hunt_print(bool emulated, const struct mx_result *r, const char *lead);

/* The status of a hunt that a signal ended and that found nothing: 128 + SIGINT, as in shells. */
enum { MX_INTERRUPTED = 130 };

#endif
