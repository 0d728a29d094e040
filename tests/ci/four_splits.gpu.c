/* A10: only the first four splits of K are added. */
#define TIMES_ADDED(k, k_split, K) ((k) < 4 * (k_split))
#include "../../kernels/gemm/mxfp4_splitk.c"
