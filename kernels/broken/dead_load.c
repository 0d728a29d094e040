/* S6: the loads that the loop's last iteration sent out for a step that never comes are still in
 * flight when the tile is stored, and land in registers that by then hold something else.
 * The correct twin is kernels/gemm/mxfp8_persistent.c, which differs in DRAIN alone. */
#define DRAIN(step)
#include "../gemm/mxfp8_persistent.c"
