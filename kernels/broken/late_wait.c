/* S5: a memory cluster crosses its barrier with loads in flight and waits after it. This is in time
 * for its own group, but too late for the other group, which reads its share of B after that
 * barrier. The correct twin is kernels/gemm/mxfp4_pingpong.c, which waits before the barrier. */
#define END_MEMORY(left) (WAIT_READS(0), BARRIER(), WAIT_VMCNT(left))
#include "../gemm/mxfp4_pingpong.c"
