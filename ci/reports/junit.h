/* A report as JUnit XML, as CI servers read it. */
#ifndef MX_JUNIT_H
#define MX_JUNIT_H

#include "record.h"

/* A test suite with a test case for each run: its class is the case, its failure has the findings
 * and the command that repeats it. A run that could not be done is an error; one that fails as
 * expected is skipped, with the reason. A row of --expect that is over or unused is a test case
 * that fails. 0, or -1 with err->text. */
int mx_junit_write(const char *path, const struct mx_record *r, struct mx_error *err);

#endif
