/* L3: the padding past K is not zeroed; it has the codes and scales of the next row.
 * The correct twin is tiling/encode. */
#define IN_K(at, left) ((at) < (left) || (left))
#include "../tiling/encode.c"
