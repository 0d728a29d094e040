/* S7: no barrier ends a matrix cluster, so that it runs into the next memory cluster, whose loads
 * write what the other group, a barrier behind, still reads.
 * The correct twin is kernels/gemm/mxfp4_pingpong.c, which has the barrier. */
#define END_MATRIX() ((void)0)
#include "../gemm/mxfp4_pingpong.c"
