/* N8: the last split's update is lost, like a store of the sum instead of an atomic. The correct
 * twin is kernels/gemm/mxfp4_splitk.c, which differs in TIMES_ADDED alone. */
#define TIMES_ADDED(k, k_split, K) ((k) + (k_split) >= (K) ? 0 : 1)
#include "../gemm/mxfp4_splitk.c"
