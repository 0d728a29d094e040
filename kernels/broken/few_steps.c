/* A14: the loop for at least three steps runs for groups with fewer. The correct twin is
 * kernels/gemm/mxfp8_wgrad.c, which differs in MULTIPLY alone. */
#define MULTIPLY(m, s, parity, n) ((void)(parity), multiply_steps(m, s, n))
#include "../gemm/mxfp8_wgrad.c"
