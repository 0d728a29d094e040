/* A8: the scales of a split begin at the offset of its codes in A. The correct twin is
 * kernels/gemm/mxfp4_splitk_pipelined.c, which differs in SCALES_BEFORE alone. */
#define SCALES_BEFORE(tile) ((tile)*A_STEP)
#include "../gemm/mxfp4_splitk_pipelined.c"
