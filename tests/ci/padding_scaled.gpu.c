/* L3: codes past K, which are those of other rows, are multiplied. The padding of the scales is
 * their scale: with 0, as the packer writes it, they add nothing. */
#define IS_IN_K(k, K) 1
#include "../../cases/foreign/mxfp4_preshuffled.c"
