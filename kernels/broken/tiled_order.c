/* L4: the tiles of codes follow each other along the rows instead of along K.
 * The correct twin is tiling/encode. */
#define TILE_INDEX(row, k, rows, ks) ((k) * (u64)(rows) + (row))
#include "../tiling/encode.c"
