/* S6: the last iteration of the loop issues loads for a step that does not exist. They are still in
 * flight when the tile is stored, and land in registers that are then reused. The correct twin is
 * kernels/gemm/mxfp8_persistent.c, which differs in DRAIN alone. */
#define DRAIN(step)
#include "../gemm/mxfp8_persistent.c"
