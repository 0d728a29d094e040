/* The assumptions under which the cases of a run pass, each once. */
#ifndef MX_CI_ASSUMPTIONS_H
#define MX_CI_ASSUMPTIONS_H

#include "report.h"

/* Prints a line for each assumption on numbers or order, with the number of brief cases among
 * results[0..n-1] that rest on it. Many lines are one with their number, without --assumptions. */
void mx_assumptions_print(const struct mx_options *o, const struct mx_result *results, size_t n);

#endif
