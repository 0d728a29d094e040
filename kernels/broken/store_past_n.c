/* S11: the last tile also stores its columns past N, which are the first columns of the next row.
 * So two workgroups write the same bytes. The correct twin is kernels/gemm/mxfp4_gemm.c, which
 * differs in COLUMN_STORED alone. */
#define COLUMN_STORED(col, N) 1
#include "../gemm/mxfp4_gemm.c"
