/* L6: the scales of both operands of the MFMA are exchanged. The correct twin is
 * kernels/gemm/a8w4_pipelined.c, which differs in SCALE_INPUTS alone. */
#define SCALE_INPUTS(sx, sy) "v"(sy), "v"(sx)
#include "../gemm/a8w4_pipelined.c"
