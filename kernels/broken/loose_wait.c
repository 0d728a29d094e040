/* S4: the wait for a step's loads is weaker by one, so that a lane's last 16 bytes to LDS may be in
 * flight when the workgroup reads them. The correct twin is kernels/gemm/mxfp4_gemm.c, which
 * differs in this wait alone. */
#define WAIT_LOADS() WAIT_VMCNT(LOADS + 1)
#include "../gemm/mxfp4_gemm.c"
