/* S4: the wait for a step's loads is too loose by one, so that the last 16 bytes a lane
 * sends to LDS may still be on their way when the workgroup reads them.
 * The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in this wait alone. */
#define WAIT_LOADS() WAIT_VMCNT(LOADS + 1)
#include "../gemm/mxfp4_gemm.c"
