/* MXFP4 quantisation of bf16 along rows and columns for gfx950, of a matrix and of padded groups:
 * plain, after a Hadamard transform, and with stochastic rounding. dual.h describes the arguments.
 */
#include "dual.h"

DUAL_KERNELS(mxfp4, E2M1, .hadamard = 0)
DUAL_KERNELS(mxfp4_hadamard, E2M1, .hadamard = 1)
DUAL_KERNELS(mxfp4_stochastic, E2M1, .stochastic = 1)
