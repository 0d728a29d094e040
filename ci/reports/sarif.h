/* A report as SARIF 2.1.0 [OASIS "Static Analysis Results Interchange Format"], as code scanning
 * reads it. */
#ifndef MX_SARIF_H
#define MX_SARIF_H

#include "record.h"

/* A result for each finding. Its location is the source line that the code object's DWARF gives for
 * the instruction; without DWARF the code object, with the address; a finding without instruction
 * is at the case file. The earlier instruction of a race is a related location. A failure that is
 * expected is suppressed, with the reason. A run that could not be done is a notification. 0, or -1
 * with err->text. */
int mx_sarif_write(const char *path, const struct mx_record *r, struct mx_error *err);

#endif
