/* S15: before a step, waves meet at the barrier of the cluster instead of their workgroup's. One
 * wave signals it for its workgroup, so copies of the others may be in flight; and where there are
 * more steps, a wave may miss a phase of it. The correct twin is kernels/gemm/gfx1250_cluster.c,
 * which differs in BEGIN_STEP alone. */
#define BEGIN_STEP()                                                                               \
	do {                                                                                       \
		WAIT_DSCNT(0);                                                                     \
		if (!WAVE())                                                                       \
			SIGNAL_CLUSTER();                                                          \
		AWAIT_CLUSTER();                                                                   \
	} while (0)
#include "../gemm/gfx1250_cluster.c"
