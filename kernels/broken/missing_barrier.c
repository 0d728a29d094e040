/* S7: no barrier ends a matrix cluster. So it continues into the next memory cluster, which loads
 * over data that the other group, one barrier later, still reads. The correct twin is
 * kernels/gemm/mxfp4_pingpong.c, which has the barrier. */
#define END_MATRIX() ((void)0)
#include "../gemm/mxfp4_pingpong.c"
