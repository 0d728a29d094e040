/* The function that executes each opcode. The machine calls them through mx_run, so the scheduler
 * does not depend on the folders that implement them. */
#ifndef MX_HANDLERS_H
#define MX_HANDLERS_H

#include "../encoding/inst.h"

extern mx_handler *const mx_handlers[MX_OPS];

#endif
