/* L8: the formats of both operands, which have the same width, are exchanged. The correct twin is
 * kernels/gemm/mxfp6_pipelined.c, which differs in DECODED_A and DECODED_B alone. */
#define DECODED_A FORMAT_B
#define DECODED_B FORMAT_A
#include "../gemm/mxfp6_pipelined.c"
