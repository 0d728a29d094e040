/* Stores a wave's tile of FRAGS x FRAGS fragments of 16x16 from the registers of MFMA. For device
 * code only; FRAGS must be defined before. */
#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include "gfx950.h"

/* Conversion of an accumulator to bf16. */
#ifndef TO_BF16
#define TO_BF16 bf16_rne
#endif

/* Whether a tile's column may be stored. */
#ifndef COLUMN_STORED
#define COLUMN_STORED(col, N) ((col) < (N))
#endif

/* Stores to row-major C of N columns, in f32 if `size` is 4, in bf16 if it is 2. Element r of a
 * lane is row 4 (lane / 16) + r of its fragment, column lane % 16. Rows past the last are past the
 * buffer's end; columns past N use an offset past it. */
INLINE void store_tile(buffer c, u32 row, u32 column, u32 N, u32 size, f32x4 acc[FRAGS][FRAGS]) {
#pragma unroll
	for (u32 i = 0; i < FRAGS; i++)
#pragma unroll
		for (u32 j = 0; j < FRAGS; j++)
#pragma unroll
			for (u32 r = 0; r < 4; r++) {
				u32 col = column + 16 * j + LANE() % 16;
				u32 at = ((row + 16 * i + 4 * (LANE() / 16) + r) * N + col) * size;
				u32 offset = COLUMN_STORED(col, N) ? at : OUT_OF_RANGE;
				float x = acc[i][j][r];
				if (size == 2)
					__builtin_amdgcn_raw_buffer_store_b16(TO_BF16(x), c, offset,
					                                      0, 0);
				else
					__builtin_amdgcn_raw_buffer_store_b32(
						__builtin_bit_cast(u32, x), c, offset, 0, 0);
			}
}

#endif
