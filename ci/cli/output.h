/* Standard output: whether all of a report was written. */
#ifndef MX_OUTPUT_H
#define MX_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Call first. A closed standard stream is opened so that its use fails; else the next file would
 * get its descriptor, and the report. A pipe without a reader, and a file that may not grow, are
 * write errors and do not end the program. */
void mx_output_begin(void);

/* Standard output for a report of a program (`--json -`): from here on, what this process prints
 * goes to standard error instead. Further calls return the same stream. NULL: errno is set. */
FILE *mx_output_take(void);

/* Whether a part of the report is lost, so that more work is useless. */
bool mx_output_is_lost(void);

/* Writes the buffered rest. Returns `status`. If not all could be written, prints one line on
 * stderr and returns 2: it goes before every other status, because the report that explains that
 * status is lost. */
int mx_output_end(int status);

/* Prints a name on one line: spaces for its control characters. */
void mx_print_on_line(const char *name);

#endif
