/* Liveness: whether the value of a register may still be read. */
#ifndef MX_LIVENESS_H
#define MX_LIVENESS_H

#include "../encoding/inst.h"

/* SCC, in addition to the rows of registers. */
enum { MX_LIVE_SCC = 0xffff };

/* Whether code from byte `pc` on, entered under `banks` of VGPRs, may read the row (operands.h)
 * before it writes it. `in_exec`: of a vector register, only lanes of EXEC at pc matter. `strict`:
 * nothing is assumed of code that adds lanes to EXEC. True if the code cannot be followed. */
bool mx_is_live(const struct mx_program *p, uint32_t pc, unsigned banks, unsigned row,
                bool in_exec, bool strict);

#endif
