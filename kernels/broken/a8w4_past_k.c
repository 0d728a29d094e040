/* A13: without an epilogue, the codes past K are zeros, but the scales there are those of other
 * rows. Zero times the NaN of a scale 0xFF is NaN. The correct twin is
 * kernels/gemm/a8w4_pipelined.c, which differs in SCALES_PAST alone. */
#define SCALES_PAST(all) all
#include "../gemm/a8w4_pipelined.c"
