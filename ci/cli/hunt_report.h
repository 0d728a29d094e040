/* A race hunt as mxcheck runs it: progress, and what it says at its end. */
#ifndef MX_CI_HUNT_H
#define MX_CI_HUNT_H

#include "report.h"

/* Hunts on a set-up that has been judged; r gets counts and findings. 0, or -1 with r->err. */
int mx_hunt(const struct mx_options *o, const char *kernel_dir, struct mx_bench *b,
            struct mx_result *r);

/* Never "race-free": a rate, what it is a rate of, and how often which result came. */
void mx_hunt_print(const struct mx_device *d, const struct mx_result *r, const char *lead);

/* The status of a hunt that a signal ended and that found nothing: as shells have it for SIGINT. */
enum { MX_INTERRUPTED = 130 };

#endif
