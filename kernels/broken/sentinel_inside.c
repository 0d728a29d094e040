/* A7: the offset that marks a masked store is inside the output. So columns past K are stored in
 * its middle. The correct twin is kernels/quantise/mxfp8_dual.c, which differs in OUT_OF_RANGE
 * alone. */
#define OUT_OF_RANGE 0x1000u
#include "../quantise/mxfp8_dual.c"
