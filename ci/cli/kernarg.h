/* The kernarg segment that a case describes, beside the arguments in a code object's metadata. */
#ifndef MX_KERNARG_H
#define MX_KERNARG_H

#include "../../oracle/bench.h"

/* Reports what does not fit in the steps of a run: an entry across two arguments, a number for an
 * address, an argument that no entry gives. For runs that fail: hand-written metadata may be wrong.
 * Steps whose code object has no list of arguments are left out. */
void mx_check_kernarg(const struct mx_bench *b, struct mx_verdict *v);

#endif
