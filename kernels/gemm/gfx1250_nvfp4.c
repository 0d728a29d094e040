/* GEMM of E2M1 with E4M3 scales on 16-blocks for gfx1250, as NVFP4 has them beside one scale of the
 * tensor, which is left out here. gfx1250_tile.h has its contract, gfx1250_ring.h its loop. */
#include "../gfx1250.h"

#define BLOCKS_OF_16 SCALES_E4M3
enum { FORMAT_A = E2M1, FORMAT_B = E2M1, STEP = 256 };

#include "gfx1250_ring.h"

KERNEL(128)
void gfx1250_nvfp4_f32(GLOBAL float *C, const GLOBAL u8 *A, const GLOBAL u8 *SA, const GLOBAL u8 *B,
                       const GLOBAL u8 *SB, u32 M, u32 N, u32 K, u32 ld_scale) {
	gemm(&(struct matrices){ C, A, SA, B, SB, M, N, K, ld_scale });
}
