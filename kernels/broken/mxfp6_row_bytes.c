/* A6: a row has a whole byte for each element of 6 bits. The correct twin is
 * kernels/gemm/mxfp6_pipelined.c, which differs in BYTES_A alone. */
#define BYTES_A(n) ((n) * ((BITS_A + 7) / 8))
#include "../gemm/mxfp6_pipelined.c"
