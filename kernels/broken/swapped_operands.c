/* L6: the operands of MFMA are exchanged, so that each fragment of C is transposed. The correct
 * twin is kernels/gemm/mxfp8_grouped.c, which differs in FIRST and SECOND. */
#define FIRST(fa, fb)  (fa)
#define SECOND(fa, fb) (fb)
#include "../gemm/mxfp8_grouped.c"
