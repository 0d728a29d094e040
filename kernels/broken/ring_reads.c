/* S1: a tile's last LDS reads may be in flight when the barrier lets other waves load over them.
 * The correct twin is kernels/gemm/mxfp4_pipelined.c, which differs in END_READS alone. */
#define END_READS()
#include "../gemm/mxfp4_pipelined.c"
