/* S1: no barrier begins a tile. So a wave loads over the LDS that slower waves still read for the
 * tile before. The correct twin is kernels/gemm/mxfp8_grouped.c, which differs in BEGIN_TILE alone.
 */
#define BEGIN_TILE() ((void)0)
#include "../gemm/mxfp8_grouped.c"
