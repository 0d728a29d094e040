/* C is read and multiplied although beta is 0, so NaN and infinities in it reach the output. The
 * correct twin is kernels/gemm/mxfp8_epilogue.c, which differs in READS_C alone. */
#define READS_C(beta) 1
#include "../gemm/mxfp8_epilogue.c"
