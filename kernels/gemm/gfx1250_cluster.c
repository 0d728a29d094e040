/* MXFP4 GEMM for gfx1250 in clusters of 2x2 workgroups, which compute 256x256 of C: gfx1250_tile.h
 * has its contract, gfx1250_ring.h its loop. Two workgroups side by side load the same tiles of A,
 * two one below the other the same tiles of B, so that memory is read once for both. The grid is a
 * whole number of clusters.
 *
 * Each workgroup waits for its own copies, as without clusters. The barrier of the cluster orders
 * nothing; it keeps the workgroups in step, because loads meet only if they are issued at about the
 * same time. */
#include "../gfx1250.h"

enum { FORMAT_A = E2M1, FORMAT_B = E2M1, STEP = 256 };

/* Workgroup x + 2 y of the cluster copies tiles of A with its row, tiles of B with its column. */
#ifndef CLUSTER_MASK
#define CLUSTER_MASK(of_b)                                                                         \
	((of_b) ? 5u << __builtin_amdgcn_cluster_workgroup_id_x()                                  \
	        : 3u << 2 * __builtin_amdgcn_cluster_workgroup_id_y())
#endif

#ifndef BEGIN_STEP
#define BEGIN_STEP()                                                                               \
	do {                                                                                       \
		LDS_BARRIER();                                                                     \
		if (!WAVE())                                                                       \
			SIGNAL_CLUSTER();                                                          \
		AWAIT_CLUSTER();                                                                   \
	} while (0)
#endif

#include "gfx1250_ring.h"

KERNEL(128)
void gfx1250_cluster_mxfp4_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA,
                               const GLOBAL u8 *B, const GLOBAL u8 *SB, u32 M, u32 N, u32 K,
                               u32 ld_scale) {
	gemm(&(struct matrices){ C, A, SA, B, SB, M, N, K, ld_scale });
}
