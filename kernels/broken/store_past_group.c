/* A12: the descriptor of the output has all rows of the tile. So rows of padding are stored over
 * the next group, which begins where the tokens of this one end. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in ROWS_STORED alone. */
#define ROWS_STORED(left) ((void)(left), TILE)
#include "../gemm/mxfp8_grouped.c"
