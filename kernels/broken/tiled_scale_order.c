/* L10: among the scales of a lane, fragments and steps of K are exchanged.
 * The correct twin is tiling/encode. */
#define SCALE_AT(i, k, GROUP, STEPS) ((k) * (GROUP) + (i))
#include "../tiling/encode.c"
