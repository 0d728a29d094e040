/* S8: the wait before the barrier of a step is for lgkmcnt, which does not count loads to LDS. The
 * correct twin is kernels/gemm/mxfp8_grouped.c, which differs in BEGIN_STEP alone. */
#define BEGIN_STEP() asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory")
#include "../gemm/mxfp8_grouped.c"
