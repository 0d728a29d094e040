/* Results as bytes, to pass them between processes and to keep them in files.
 *
 * The bytes are those of one build of mxcheck on one machine. The run, the expected failure and
 * what the owner of the result sets for itself are not among them. */
#ifndef MX_RESULT_H
#define MX_RESULT_H

#include "report.h"

/* The bytes of a result; the caller frees them. NULL: out of memory. */
uint8_t *mx_result_pack(const struct mx_result *r, size_t *n);

/* The inverse. False: these are not the bytes of a result; then r is as before. */
bool mx_result_unpack(const uint8_t *bytes, size_t n, struct mx_result *r);

/* Frees what a result owns. */
void mx_result_free(struct mx_result *r);

#endif
