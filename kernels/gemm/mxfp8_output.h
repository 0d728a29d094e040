/* The output of a 256x256 tile of an MXFP8 product, from the accumulators of mxfp8_tile.h. For
 * device code only. */
#ifndef MXFP8_OUTPUT_H
#define MXFP8_OUTPUT_H

#include "mxfp8_tile.h"

enum type { BF16, F16 };

typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));
typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));

INLINE u32 to_bf16(float x, float y) {
	return __builtin_bit_cast(u32, ((bf16x2){ (__bf16)x, (__bf16)y }));
}
INLINE u32 to_f16(float x, float y) {
	return __builtin_bit_cast(u32, ((f16x2){ (_Float16)x, (_Float16)y }));
}

/* Two results as the output has them. */
#ifndef NARROW
#define NARROW(type, x, y) ((type) == BF16 ? to_bf16(x, y) : to_f16(x, y))
#endif

/* Whether the fragment from a column on is stored. */
#ifndef IS_STORED_COLUMN
#define IS_STORED_COLUMN(col, N) ((col) < (N))
#endif

/* Stores the wave's fragments: a lane has four columns of a row. Rows past the group are past the
 * descriptor's end; N ends with a fragment. */
INLINE void store_tile(enum type type, buffer c, u32 row, u32 col, u32 N) {
	u32 at = (LANE() % 16 * N + col + LANE() / 16 * 4) * 2;
#pragma unroll
	for (u32 j = 0; j < FRAGS; j++) {
		if (!IS_STORED_COLUMN(col + 16 * j, N))
			break;
#pragma unroll
		for (u32 i = 0; i < FRAGS; i++) {
			f32x4 x = accumulated(j, i);
			u32x2 pair = { NARROW(type, x.x, x.y), NARROW(type, x.z, x.w) };
			__builtin_amdgcn_raw_buffer_store_b64(pair, c, at + 32 * j,
			                                      (row + 16 * i) * N * 2, 0);
		}
	}
}

#endif
