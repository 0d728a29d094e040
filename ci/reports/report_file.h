/* The file of a report. `-` is standard output; what mxcheck prints itself then goes to standard
 * error. Functions return 0, or -1 with err->text. */
#ifndef MX_REPORT_FILE_H
#define MX_REPORT_FILE_H

#include <stdio.h>

#include "../../cases/case.h"

/* Before the runs: empties the file, so that no older report stays if they are killed. A pipe or a
 * device is only checked. */
int mx_report_begin(const char *path, struct mx_error *err);

/* Writes a report whole, or leaves the file as it was. */
int mx_report_write(const char *path, const char *text, size_t bytes, struct mx_error *err);

/* Opens a report that grows by lines. NULL with err->text. */
FILE *mx_report_open(const char *path, struct mx_error *err);
/* Flushes what was written and closes it. */
int mx_report_close(const char *path, FILE *f, struct mx_error *err);

/* What messages call it. */
const char *mx_report_name(const char *path);

#endif
