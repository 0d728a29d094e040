/* Printing the events of a launch: --trace, --watch and --break. */
#ifndef MX_TRACE_H
#define MX_TRACE_H

#include "../../oracle/location.h"

/* The events to print; texts as on the command line, NULL: option not given. */
struct mx_trace_options {
	const char *wave;  /* "3,0,0:2", workgroup and wave, or "3:2" */
	const char *watch; /* a location */
	const char *stop;  /* "0x1a4": offset in the kernel */
	int lane;          /* lane of the printed values; -1: the first lanes */
};

/* Checks the form of the texts; needs no device. */
bool mx_trace_check(const struct mx_trace_options *o, struct mx_error *err);

/* An observer that prints; it must be ended with mx_trace_end. */
struct mx_trace;
int mx_trace_begin(const struct mx_bench *b, const struct mx_trace_options *o, struct mx_trace **t,
                   struct mx_error *err);
const struct mx_observer *mx_trace_observer(const struct mx_trace *t);

/* After the launch: fails if the traced wave was not in it. */
int mx_trace_seen(const struct mx_trace *t, struct mx_error *err);
void mx_trace_end(struct mx_trace *t);

#endif
