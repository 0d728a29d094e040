/* MXFP8 quantisation of bf16 along rows and columns for gfx950, of a matrix and of padded groups:
 * plain, after a Hadamard transform, and with stochastic rounding. dual.h describes the arguments.
 */
#include "dual.h"

DUAL_KERNELS(e4m3, E4M3, .hadamard = 0)
DUAL_KERNELS(e4m3_hadamard, E4M3, .hadamard = 1)
DUAL_KERNELS(e4m3_stochastic, E4M3, .stochastic = 1)

DUAL_KERNELS(e5m2, E5M2, .hadamard = 0)
DUAL_KERNELS(e5m2_hadamard, E5M2, .hadamard = 1)
DUAL_KERNELS(e5m2_stochastic, E5M2, .stochastic = 1)
