/* S4: the wait for the tensor copy of the next step is weaker by one. The correct twin is
 * kernels/gemm/gfx1250_mxfp8_triple.c, which differs in WAIT_COPY alone. */
#define WAIT_COPY() WAIT_TENSORCNT(2)
#include "../gemm/gfx1250_mxfp8_triple.c"
