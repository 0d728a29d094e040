/* L1: a group that begins with the second step of a dword of scales reads those of the first. The
 * correct twin is kernels/gemm/mxfp8_wgrad.c, which differs in PARITY alone. */
#define PARITY(begin) ((void)(begin), 0)
#include "../gemm/mxfp8_wgrad.c"
