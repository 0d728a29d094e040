/* A4: the offset of a tile's rows in the output is computed in signed 32 bits, so that tiles above
 * 2 GiB are stored elsewhere. The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in
 * OUTPUT_AT alone. */
#define OUTPUT_AT(row, ld) ((int)((row) * (ld)))
#include "../gemm/mxfp4_gemm.c"
