/* L11: the two FP4 codes of a byte are swapped.
 * The correct twin is tiling/encode. */
#define CODES(x) (((x) >> 4 & 0x0f0f0f0f) | ((x)&0x0f0f0f0f) << 4)
#include "../tiling/encode.c"
