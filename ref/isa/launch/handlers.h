/* The function that executes each opcode. The machine calls it through mx_run, so that what runs
 * instructions needs none of the rooms that implement them. */
#ifndef MX_HANDLERS_H
#define MX_HANDLERS_H

#include "../encoding/inst.h"

extern mx_handler *const mx_handlers[MX_OPS];

#endif
