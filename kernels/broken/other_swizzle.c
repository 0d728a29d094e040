/* L4: chunks are read from the slots of another swizzle than that of the loads. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in SLOT alone. */
#define SLOT(q, r) ((q) ^ (r) % 8)
#include "../gemm/mxfp8_grouped.c"
