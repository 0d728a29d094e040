/* S10: the product takes the place of the stages in LDS while the last copies, of zeros, may be in
 * flight. The correct twin is kernels/gemm/gfx1250_mxfp4.c, which differs in END_COPIES alone. */
#define END_COPIES() (void)0
#include "../gemm/gfx1250_mxfp4.c"
