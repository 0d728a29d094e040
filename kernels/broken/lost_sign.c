/* N7: 0 is added to each element, which turns -0 into +0. The correct twin is
 * kernels/quantise/mxfp4_quantise.c, which differs in ELEMENT alone. */
#define ELEMENT(x) ((x) + 0.0f)
#include "../quantise/mxfp4_quantise.c"
