/* A12: num_records has all rows of a tile, also those past the matrix. The correct twin is
 * kernels/gemm/mxfp4_pipelined.c, which differs in TILE_BYTES alone. */
#define TILE_BYTES(row, all, rows, unit) ((void)(all), TILE / (rows) * (unit))
#include "../gemm/mxfp4_pipelined.c"
