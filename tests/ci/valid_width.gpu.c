/* L2: groups of 32 rows of the scales are taken to be as wide as what is valid, not as padded. */
#define SCALE_COLUMNS(blocks) (blocks)
#include "../../cases/foreign/mxfp4_preshuffled.c"
