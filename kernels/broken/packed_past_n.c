/* S11: four columns of the last fragment are stored together, also those past N: they are in the
 * next row. The correct twin is kernels/gemm/a8w4_pipelined.c, which differs in PACKED_COLUMNS
 * alone. */
#define PACKED_COLUMNS(N, size) (((N) + 15) & ~15u)
#include "../gemm/a8w4_pipelined.c"
