/* L4: the scales of a group begin at its row without padding, so they are those of another group.
 * The correct twin is kernels/gemm/mxfp8_grouped.c, which differs in SCALES_BEGIN alone. */
#define SCALES_BEGIN(p, g) ((p)->source[g])
#include "../gemm/mxfp8_grouped.c"
