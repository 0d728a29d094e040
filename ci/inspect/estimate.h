/* The text of an estimate of a kernel's main loop (ref/isa/lint/loop.h). */
#ifndef MX_ESTIMATE_H
#define MX_ESTIMATE_H

#include "../../ref/isa/lint/loop.h"

#include <stddef.h>

/* "loop +0x1a8c to +0x2fc4: 461 instructions, ..."; empty if there is no loop with matrix
 * instructions, and without cycles if their passes are not published. `matrix`: what they are
 * called. */
void mx_loop_text(const struct mx_loop *l, const char *matrix, char *text, size_t room);

/* The same of a kernel in a code object file; empty also if the file cannot be read. */
void mx_kernel_loop_text(const char *path, const char *kernel, char *text, size_t room);

#endif
