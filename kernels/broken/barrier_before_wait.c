/* S1: a wave waits for its reads of LDS behind the second barrier instead of before it, so that
 * another wave's loads may write over what is still being read: the next step's, to that buffer.
 * The correct twin is kernels/gemm/mxfp4_gemm.c, which differs in END_READS alone. */
#define END_READS(f, g) (BARRIER(), wait_fragments(f, g))
#include "../gemm/mxfp4_gemm.c"
