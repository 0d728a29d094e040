/* The bias of a column is read at the row's number; past the end it is 0. The correct twin is
 * kernels/gemm/mxfp8_epilogue.c, which differs in BIAS_OF alone. */
#define BIAS_OF(row, col) ((void)(col), (row))
#include "../gemm/mxfp8_epilogue.c"
