/* N9: the last 16 columns are not stored. A buffer that is used again has an old, right value
 * there. The correct twin is kernels/gemm/mxfp8_grouped.c, which differs in IS_STORED_COLUMN alone.
 */
#define IS_STORED_COLUMN(col, N) ((col) + 16 < (N))
#include "../gemm/mxfp8_grouped.c"
