/* S7: no barrier between tiles: a wave reads what other waves load, and loads over what they read.
 * The correct twin is kernels/gemm/mxfp4_pipelined.c, which differs in TILE_BARRIER alone. */
#define TILE_BARRIER()
#include "../gemm/mxfp4_pipelined.c"
