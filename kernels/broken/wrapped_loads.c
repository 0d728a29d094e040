/* A4: the offset of a tile's rows in an operand is computed in 32 bits, so that tiles above 4 GiB
 * read the data of other tiles. The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in
 * OPERAND_AT alone. */
#define OPERAND_AT(row, ld) ((row) * (ld))
#include "../gemm/mxfp4_gemm.c"
