/* L1, L2: the distance of two rows of tiles counts only the whole tiles of K.
 * The correct twin is tiling/encode. */
#define K_TILES(size, tile) ((size) / (tile))
#include "../tiling/encode.c"
