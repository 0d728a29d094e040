/* S2: the wait for an LDS address from scratch_load lets the later loads to LDS be in flight, as if
 * scratch returned in order with them. If it does not, M0 holds the old address. The correct twin
 * is kernels/gemm/mxfp8_scratch.c, which differs in this wait alone. */
#define LEFT_AT_ADDRESS LOADS
#include "../gemm/mxfp8_scratch.c"
