/* A6: the bounds of a row of 4-bit codes count a byte for each element. So lanes past K store into
 * the next row. The correct twin is kernels/quantise/mxfp4_quantise.c, which differs in BOUND
 * alone.
 */
#define BOUND(format, n) (n)
#include "../quantise/mxfp4_quantise.c"
