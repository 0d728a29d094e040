/* S10: where a tile is skipped, wave 0 puts the next one into the slot that the other waves may
 * not have read yet. The correct twin is kernels/gemm/mxfp8_persistent.c, which differs in
 * SKIP_BARRIER alone. */
#define SKIP_BARRIER()
#include "../gemm/mxfp8_persistent.c"
