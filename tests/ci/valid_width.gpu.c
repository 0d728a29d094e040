/* L2: the kernel uses the valid width of groups of 32 rows of scales, not the padded width. */
#define SCALE_COLUMNS(blocks) (blocks)
#include "../../cases/foreign/mxfp4_preshuffled.c"
