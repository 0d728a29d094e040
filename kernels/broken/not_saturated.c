/* N4: FP8 does not saturate, so that the largest elements of a block become NaN. The correct twin
 * is kernels/quantise/mxfp8_quantise.c, which differs in SATURATES alone. */
#define SATURATES 0
#include "../quantise/mxfp8_quantise.c"
