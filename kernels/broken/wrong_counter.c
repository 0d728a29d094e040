/* S8: the wait before the barrier is for lgkmcnt, which counts LDS reads. Loads to LDS count on
 * vmcnt, so they may be in flight when the workgroup reads their data. The correct twin is
 * kernels/gemm/mxfp4_gemm.c, which differs in WAIT_LOADS alone. */
#define WAIT_LOADS() WAIT_LGKMCNT(0)
#include "../gemm/mxfp4_gemm.c"
