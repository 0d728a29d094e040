/* L10: OP_SEL selects the scales of the first of two steps in both. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in SCALE_BYTES alone. */
#define SCALE_BYTES(parity) ((void)(parity), 0)
#include "../gemm/mxfp8_grouped.c"
