/* N3: ties are rounded away from zero: a magnitude that is larger by one unit in the last place of
 * f32 is no tie. The correct twin is kernels/quantise/mxfp4_quantise.c, which differs in ELEMENT
 * alone. */
#define ELEMENT(x) FLOAT(BITS(x) + 1)
#include "../quantise/mxfp4_quantise.c"
