/* A9: rows and columns of a tile past the end of a ragged matrix are not masked. So a column of the
 * transpose ends in the next one. The correct twin is kernels/quantise/mxfp8_dual.c, which differs
 * in WITHIN alone. */
#define WITHIN(at, end, offset) (offset)
#include "../quantise/mxfp8_dual.c"
