/* S1: a wave waits for its LDS reads after the second barrier instead of before it. So another
 * wave's loads of the next step may overwrite data that are still being read. The correct twin is
 * kernels/gemm/mxfp4_gemm.c, which differs in END_READS alone. */
#define END_READS(f, g) (BARRIER(), wait_fragments(f, g))
#include "../gemm/mxfp4_gemm.c"
