/* A2: the gradient of a group without rows is not stored, so that it is not 0. The correct twin is
 * kernels/gemm/mxfp8_wgrad.c, which differs in IS_STORED alone. */
#define IS_STORED(rows) (rows)
#include "../gemm/mxfp8_wgrad.c"
