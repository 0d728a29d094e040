/* S16: the barrier of a full stage expects three of the four copies of a step. The correct twin is
 * kernels/gemm/gfx1250_arrivals.c, which differs in COPIES alone. */
#define COPIES 3
#include "../gemm/gfx1250_arrivals.c"
