/* S1: of two slots the next tile takes the one that is still read. The correct twin is
 * kernels/gemm/a8w4_pipelined.c, which differs in WRITE_AHEAD alone. */
#define WRITE_AHEAD 0
#include "../gemm/a8w4_pipelined.c"
