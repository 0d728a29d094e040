/* L3: padding of scales is 127, whatever the consumer needs. The correct twin is
 * kernels/shuffle/preshuffle.c, which differs in FILL alone. */
#define FILL(fill) ((void)(fill), 127)
#include "../shuffle/preshuffle.c"
