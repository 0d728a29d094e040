/* S11: splits store their sums instead of adding them. Two waves of a workgroup write the same
 * bytes, and the last write remains. The correct twin is kernels/gemm/mxfp4_splitk.c, which differs
 * in ADD_BF16X2 alone. */
#define ADD_BF16X2(address, pair) (*(address) = (pair))
#include "../gemm/mxfp4_splitk.c"
