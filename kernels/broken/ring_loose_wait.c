/* S4: the wait for a tile of A in the ring of LDS slots is weaker by one. The correct twin is
 * kernels/gemm/mxfp4_pipelined.c, which differs in WAIT_A alone. */
#define WAIT_A(later) WAIT_VMCNT((later) + 1)
#include "../gemm/mxfp4_pipelined.c"
