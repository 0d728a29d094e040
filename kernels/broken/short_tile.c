/* A11: LDS has half of the rows that the waves write, so that the second half is out of bounds. The
 * correct twin is kernels/quantise/mxfp8_dual.c, which differs in LDS_ROWS alone. */
#define LDS_ROWS 32
#include "../quantise/mxfp8_dual.c"
