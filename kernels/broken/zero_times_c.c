/* C is read and multiplied where beta is 0: NaN and infinities in it come through. The correct twin
 * is kernels/gemm/mxfp8_epilogue.c, which differs in READS_C alone. */
#define READS_C(beta) 1
#include "../gemm/mxfp8_epilogue.c"
