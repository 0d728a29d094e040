/* S8: a split counts itself as arrived before its part is complete: the last workgroup may add old
 * bytes. The correct twin is kernels/gemm/mxfp4_splitk_pipelined.c, which differs in RELEASE alone.
 */
#define RELEASE()
#include "../gemm/mxfp4_splitk_pipelined.c"
