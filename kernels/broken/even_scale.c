/* N6: the scale is that of the recipe even, not of floor. The correct twin is
 * kernels/quantise/mxfp4_quantise.c, which differs in SCALE_OF alone. */
#define SCALE_OF(amax, f) floor_scale((amax) + 0x200000, f)
#include "../quantise/mxfp4_quantise.c"
