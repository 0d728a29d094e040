/* A16: the masks of loads are those of the first row and column of a cluster, so that the others
 * load with masks without themselves. The correct twin is kernels/gemm/gfx1250_cluster.c, which
 * differs in CLUSTER_MASK alone. */
#define CLUSTER_MASK(of_b) ((of_b) ? 5u : 3u)
#include "../gemm/gfx1250_cluster.c"
