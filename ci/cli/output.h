/* Standard output: whether all of a report was written. */
#ifndef MX_OUTPUT_H
#define MX_OUTPUT_H

#include <stdbool.h>

/* Call first. Standard streams that are closed are opened so that using them fails: the next file
 * that is opened would get their numbers, and the report. A pipe without a reader is an error of
 * its writer, not the end of the program. */
void mx_output_begin(void);

/* Whether some of the report is lost already, so that more work is in vain. */
bool mx_output_is_lost(void);

/* Writes what is left. Returns `status`; or, after one line on stderr, 2 where not all could be
 * written: this comes before every other status, as what explains those is lost. */
int mx_output_end(int status);

#endif
