/* L8: A is decoded in the format of B. The correct twin is kernels/gemm/mxfp8_grouped.c, which
 * differs in FORMAT_A alone. */
#define FORMAT_A(m) ((m).b)
#include "../gemm/mxfp8_grouped.c"
