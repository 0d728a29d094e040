/* A8W4 GEMM for gfx1250: A in E4M3, B in E2M1. gfx1250_tile.h has its contract, gfx1250_ring.h its
 * loop. */
#include "../gfx1250.h"

enum { FORMAT_A = E4M3, FORMAT_B = E2M1, STEP = 256 };

#include "gfx1250_ring.h"

KERNEL(128)
void gfx1250_a8w4_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                      const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(&(struct matrices){ C, A, SA, B, SB, M, N, K, ld_scale });
}
