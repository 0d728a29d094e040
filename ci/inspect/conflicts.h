/* The text of the bank conflicts in LDS that a launch had. */
#ifndef MX_CONFLICTS_H
#define MX_CONFLICTS_H

#include "../../ref/isa/isa.h"

/* A line for each access pattern: an opcode and what its conflicts cost on average. It has the
 * number of accesses, and of instructions. Empty if none were counted. */
void mx_conflicts_text(const struct mx_report *r, char *text, size_t room);

#endif
