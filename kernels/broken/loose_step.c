/* S4: the wait for the loads of a step is weaker by one. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in BEGIN_STEP alone. */
#define BEGIN_STEP() asm volatile("s_waitcnt vmcnt(1)\n\ts_barrier" ::: "memory")
#include "../gemm/mxfp8_grouped.c"
