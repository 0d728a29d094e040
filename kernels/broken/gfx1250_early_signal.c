/* S14: the barrier is signalled before the stores of scales to LDS are complete; they are when the
 * wave waits for the others. The correct twin is kernels/gemm/gfx1250_mxfp8_staged.c, which differs
 * in MEET alone. */
#define MEET()                                                                                     \
	asm volatile("s_barrier_signal -1\n\ts_wait_dscnt 0\n\ts_barrier_wait -1" ::: "memory")
#include "../gemm/gfx1250_mxfp8_staged.c"
