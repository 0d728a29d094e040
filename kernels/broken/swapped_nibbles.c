/* L11: the two codes of a byte are exchanged. The correct twin is
 * kernels/quantise/mxfp4_quantise.c, which differs in IN_PAIR alone. */
#define IN_PAIR(i) (1 - (i))
#include "../quantise/mxfp4_quantise.c"
