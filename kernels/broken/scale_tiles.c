/* L2: the number of tiles in a row of shuffled scales is that of the valid width, not of the
 * padded. The correct twin is shuffle/scales. */
#define TILES(cols) ((cols) / 8)
#include "../shuffle/scales.c"
