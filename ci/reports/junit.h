/* A report as JUnit XML, as CI servers read it. */
#ifndef MX_JUNIT_H
#define MX_JUNIT_H

#include "../cli/report.h"

/* A test suite with a test case for each run: its class is the case, its failure has the findings
 * and the command that repeats it. A run that could not be done is an error. 0, or -1 with
 * err->text. */
int mx_junit_write(const char *path, const struct mx_options *o, const struct mx_device *d,
                   const struct mx_result *results, size_t n, double seconds, struct mx_error *err);

#endif
