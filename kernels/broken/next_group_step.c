/* A3: a group with one step, M_g = 128, has a second one, as if the loop always had two in flight:
 * the rows of the next group. The correct twin is kernels/gemm/mxfp8_wgrad.c, which differs in
 * SUMMED alone. */
#define SUMMED(begin, end) ((end) - (begin) == STEP ? 2 * STEP : (end) - (begin))
#include "../gemm/mxfp8_wgrad.c"
