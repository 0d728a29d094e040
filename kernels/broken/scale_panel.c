/* L7: all waves read the scales of the first 128 rows of A. The correct twin is
 * kernels/gemm/mxfp8_grouped.c, which differs in SCALE_PANEL alone. */
#define SCALE_PANEL(wave) ((void)(wave), 0)
#include "../gemm/mxfp8_grouped.c"
