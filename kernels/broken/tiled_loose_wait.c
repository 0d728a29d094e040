/* S4: the wait for a step's loads is too loose by one.
 * The correct twin is tiling/gemm_m128_n256_k256. */
#define WAIT_STEP() WAIT_VMCNT(SCALE_LOADS + DMAS + 1)
#include "../tiling/gemm_m128_n256_k256.c"
