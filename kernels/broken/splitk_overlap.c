/* A10: a split begins one tile of K too early, so that a tile is added twice and the last one
 * never. The correct twin is kernels/gemm/mxfp4_splitk_pipelined.c, which differs in SPLIT_BEGIN
 * alone. */
#define SPLIT_BEGIN(z, split_tiles) ((z) ? (z) * (split_tiles)-1 : 0)
#include "../gemm/mxfp4_splitk_pipelined.c"
