/* L10: WMMAs take the scales of rows 0 to 15 of a register for all fragments, because they do not
 * select its upper lanes. The correct twin is kernels/gemm/gfx1250_a8w4.c, which differs in
 * SCALE_HALF alone. */
#define SCALE_HALF(half) 0
#include "../gemm/gfx1250_a8w4.c"
