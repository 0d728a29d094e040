/* Liveness: whether the value that a register has may still be read. */
#ifndef MX_LIVE_H
#define MX_LIVE_H

#include "../encoding/inst.h"

/* SCC, beside the rows of registers that race.h has. */
enum { MX_LIVE_SCC = 0xffff };

/* Whether code from byte `pc` may read the row (operands.h) before it writes it. `in_exec`: of a
 * vector register, no lanes matter but those of EXEC at pc. True where the code cannot be followed.
 */
bool mx_is_live(const struct mx_program *p, uint32_t pc, unsigned row, bool in_exec);

#endif
