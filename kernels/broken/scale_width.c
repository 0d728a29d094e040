/* L2: the rows of scales are as long as K needs, not padded to 8 columns. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in SCALE_ROWS alone. */
#define SCALE_ROWS(K) ((K) / 32 * 32)
#include "../gemm/mxfp8_grouped.c"
