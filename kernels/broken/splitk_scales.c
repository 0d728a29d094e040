/* A8: the offset of a split in the scales counts elements, not blocks of 32. So all splits but the
 * first have the scales of other rows. The correct twin is kernels/gemm/mxfp4_splitk.c, which
 * differs in BLOCK_AT alone. */
#define BLOCK_AT(from, k) ((from) + ((k) - (from)) / 32)
#include "../gemm/mxfp4_splitk.c"
