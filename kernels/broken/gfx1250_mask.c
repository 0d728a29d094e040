/* A16: all workgroups of a cluster load with the masks of its first row and column, so that some
 * use a mask that lacks their own bit. The correct twin is kernels/gemm/gfx1250_cluster.c, which
 * differs in CLUSTER_MASK alone. */
#define CLUSTER_MASK(of_b) ((of_b) ? 5u : 3u)
#include "../gemm/gfx1250_cluster.c"
