/* Common parts of the MXFP8 kernels: the position of a lane's operands, and the product of a step.
 * For device code only.
 *
 * E4M3, K contiguous, one E8M0 scale for each 32 elements. A wave computes a tile of 32x32, 2x2
 * fragments of 16x16, in K steps of 128. In a fragment of 16 rows, lane (row r, part q) has 16
 * elements from 16 q on of each half of the step, and the scale of block q. */
#ifndef MXFP8_H
#define MXFP8_H

#include "gfx950.h"

enum { STEP = 128, BLOCK = 32, FRAGMENT = 16, FRAGS = 2, WAVE_TILE = FRAGS * FRAGMENT };

#include "fragments.h"

/* The offset of the lane's half of fragment i in rows of K bytes; past K it is out of range. */
INLINE u32 code_offset(u32 i, u32 half, u32 k, u32 K) {
	u32 at = k + half * (STEP / 2) + LANE() / 16 * 16;
	return at < K ? (i * FRAGMENT + LANE() % 16) * K + at : OUT_OF_RANGE;
}

/* Scales are in the low bytes. */
INLINE void multiply(const u32x4 a[FRAGS][2], const u32x4 b[FRAGS][2], const u32 sa[FRAGS],
                     const u32 sb[FRAGS], f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++)
			acc[i][j] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
				fp8_operand(a[i][0], a[i][1]), fp8_operand(b[j][0], b[j][1]),
				acc[i][j], 0, 0, 0, sa[i], 0, sb[j]);
}

#endif
