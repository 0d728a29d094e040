/* L7: the scales of neighbouring rows are swapped.
 * The correct twin is tiling/encode. */
#define SCALE_ROW(r) ((r) ^ 1)
#include "../tiling/encode.c"
