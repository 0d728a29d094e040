/* L2: the tiles of a row of shuffled scales are those of the valid width, not of the padded one.
 * The correct twin is shuffle/scales. */
#define TILES(cols) ((cols) / 8)
#include "../shuffle/scales.c"
