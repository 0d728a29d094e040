/* S11: the last tile stores its columns past N too, which are the first ones of the next row: two
 * workgroups write the same bytes.
 * The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in COLUMN_STORED alone. */
#define COLUMN_STORED(col, N) 1
#include "../gemm/mxfp4_gemm.c"
