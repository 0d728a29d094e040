/* S7: group 1 is late by two barriers: both groups have memory clusters at the same time, and group 0
 * loads over what group 1 still reads. The correct twin is kernels/gemm/mxfp4_pingpong.c, which
 * differs in PHASE alone. */
#define PHASE 2
#include "../gemm/mxfp4_pingpong.c"
