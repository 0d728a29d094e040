/* S13: no wait for the tensor copy of a step before the barrier. The correct twin is
 * kernels/gemm/gfx1250_mxfp8.c, which differs in WAIT_COPY alone. */
#define WAIT_COPY() ((void)0)
#include "../gemm/gfx1250_mxfp8.c"
