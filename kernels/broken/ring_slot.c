/* S1: the ring reuses a slot too early: tile s + 2 is loaded over tile s + 1. The correct twin is
 * kernels/gemm/mxfp4_pipelined.c, which differs in WRITE_AHEAD alone. */
#define WRITE_AHEAD 1
#include "../gemm/mxfp4_pipelined.c"
