/* A10: rows are quantised in pairs of blocks, and the last of an odd number is left out. The
 * correct twin is quantise/mxfp4_quantise. */
#define COVERED(K) ((K) / 64 * 64)
#include "../quantise/mxfp4_quantise.c"
