/* N9: decoding leaves out a last fragment that N does not fill.
 * The correct twin is tiling/decode. */
#define IN_N(column, N) ((column) / FRAGMENT * FRAGMENT + FRAGMENT <= (N))
#include "../tiling/decode.c"
