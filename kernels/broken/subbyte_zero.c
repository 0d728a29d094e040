/* A6: the bounds of a row of 4-bit codes are the elements times 4 / 8, which is 0 in integers. So
 * no code is stored. The correct twin is kernels/quantise/mxfp4_quantise.c, which differs in BOUND
 * alone. */
#define BOUND(format, n) ((n) * ((format) == E2M1 ? 4 / 8 : 1))
#include "../quantise/mxfp4_quantise.c"
