/* A1: the descriptor of an operand has the bytes from the tile to the end of the matrix, computed
 * in 32 bits. From 2^32 bytes on they wrap, and valid loads become zeros. The correct twin is
 * kernels/gemm/mxfp4_gemm.c, which differs in ROWS_READ, and in an OUT_OF_RANGE for descriptors of
 * up to 4 GiB. */
#define ROWS_READ(rows_left) (rows_left)
#define OUT_OF_RANGE         0xffffffffu
#include "../gemm/mxfp4_gemm.c"
