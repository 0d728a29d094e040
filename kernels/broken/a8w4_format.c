/* L8: E4M3 activations are decoded as E5M2. The correct twin is kernels/gemm/a8w4_pipelined.c, which
 * differs in DECODED_A alone. */
#define DECODED_A E5M2
#include "../gemm/a8w4_pipelined.c"
