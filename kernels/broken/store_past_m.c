/* A12: the output's descriptor covers the whole tile, so that a ragged M is stored past its last
 * row. The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in ROWS_STORED alone. */
#define ROWS_STORED(rows_left) TILE
#include "../gemm/mxfp4_gemm.c"
