/* L9: the scales of the last group are not shuffled. The correct twin is
 * kernels/shuffle/preshuffle.c, which differs in GROUP_ROWS alone. */
#define GROUP_ROWS(padded, groups) ((padded)[(groups)-1])
#include "../shuffle/preshuffle.c"
