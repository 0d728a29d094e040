/* N8: the first split's update is done twice, like a retry after a success. The correct twin is
 * kernels/gemm/mxfp4_splitk.c, which differs in TIMES_ADDED alone. */
#define TIMES_ADDED(k, k_split, K) ((k) == 0 ? 2 : 1)
#include "../gemm/mxfp4_splitk.c"
