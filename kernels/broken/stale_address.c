/* S2: the wait for an LDS address that scratch_load brings counts the loads to LDS behind it, as if
 * scratch returned in order with them. Where it does not, M0 is the address before.
 * The correct twin is kernels/gemm/mxfp8_scratch.c, which differs in this wait alone. */
#define LEFT_AT_ADDRESS LOADS
#include "../gemm/mxfp8_scratch.c"
