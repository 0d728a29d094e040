/* L9: the last tile of a row is stored only if it is whole, which loses its scales. The correct
 * twin is kernels/shuffle/preshuffle.c, which differs in IS_STORED alone. */
#define IS_STORED(tile, cols) ((tile) < (cols) / 8)
#include "../shuffle/preshuffle.c"
