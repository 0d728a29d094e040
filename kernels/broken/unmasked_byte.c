/* L5: a scale is extracted from its dword without a mask, so that the scales above it remain. The
 * correct twin is kernels/shuffle/preshuffle.c, which differs in BYTE alone. */
#define BYTE(word, i) ((word) >> 8 * (i))
#include "../shuffle/preshuffle.c"
