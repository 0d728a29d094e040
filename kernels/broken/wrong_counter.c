/* S8: before the barrier the wait is for lgkmcnt, which counts reads of LDS. Loads to LDS count on
 * vmcnt, so that they may still be on their way when the workgroup reads what they bring.
 * The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in WAIT_LOADS alone. */
#define WAIT_LOADS() WAIT_LGKMCNT(0)
#include "../gemm/mxfp4_gemm.c"
