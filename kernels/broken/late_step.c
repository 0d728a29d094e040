/* S5: a wave waits for its loads after the barrier of the step instead of before it. So other waves
 * read what has not landed. The correct twin is kernels/gemm/mxfp8_grouped.c, which differs in
 * BEGIN_STEP alone. */
#define BEGIN_STEP() asm volatile("s_barrier\n\ts_waitcnt vmcnt(0)" ::: "memory")
#include "../gemm/mxfp8_grouped.c"
