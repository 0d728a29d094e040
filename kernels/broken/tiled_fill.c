/* L3: scales are padded with 127, 2^0, instead of 0.
 * The correct twin is tiling/encode. */
#define SCALE_FILL 127
#include "../tiling/encode.c"
