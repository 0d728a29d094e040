/* A14: the pipeline begins with fewer tiles of K than it multiplies. The correct twin is
 * kernels/gemm/mxfp4_pipelined.c, which differs in LEAST_TILES alone. */
#define LEAST_TILES 2
#include "../gemm/mxfp4_pipelined.c"
