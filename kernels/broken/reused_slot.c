/* S10: after a skipped tile, wave 0 writes the next number to the slot before the other waves may
 * have read it. The correct twin is kernels/gemm/mxfp8_persistent.c, which differs in SKIP_BARRIER
 * alone. */
#define SKIP_BARRIER()
#include "../gemm/mxfp8_persistent.c"
