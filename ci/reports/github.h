/* Findings as workflow commands of GitHub Actions, which shows them beside the lines of a change.
 */
#ifndef MX_GITHUB_H
#define MX_GITHUB_H

#include "record.h"

/* Prints a line for each finding on standard output, the worst first: GitHub shows ten of a step.
 * Places are those of SARIF. */
void mx_github_print(const struct mx_record *r);

#endif
