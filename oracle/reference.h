/* Judges of a case with a reference, and the tolerance that judge close takes from the case. */
#ifndef MX_REFERENCE_H
#define MX_REFERENCE_H

#include "bench_inside.h"

int mx_judge_reference(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err);

/* The error divided by the tolerance of the case at x; above 1: not close. */
double mx_tolerance_used(const struct mx_bench *b, mx_buffer_type type, double got, double x);

/* Writes the basis: the tolerance, and that it was typed in. */
void mx_tolerance_describe(const struct mx_bench *b, const char *of, double used,
                           struct mx_verdict *v);

#endif
