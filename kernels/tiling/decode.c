/* The reverse of data tiling for gfx950: the f32 product from the tiles of tiled_gemm.h to rows.
 *
 * A tile consists of the parts of its waves, a part of fragments of 16x16, 1024 bytes each: lane
 * (q, c) has rows 4 q to 4 q + 3 of column c. Rows past the last are past the end of the output's
 * descriptor; columns past N are masked by EXEC. M and N are any; N is below 2^22.
 */
#include "../gfx950.h"

enum { FRAGMENT = 16, FRAGMENT_BYTES = 1024, PART = 16, SIZE = 4, MOST = 4 };

/* The number of tiles along a size. */
#ifndef TILES
#define TILES(size, tile) (((size) + (tile)-1) / (tile))
#endif

/* Whether a column is stored. */
#ifndef IN_N
#define IN_N(column, N) ((column) < (N))
#endif

/* A wave moves its part: FRAGS_M x FRAGS_N fragments of the workgroup's tile. */
INLINE void decode(const GLOBAL u8 *from, GLOBAL u8 *to, u32 M, u32 N, const u32 WAVES_M,
                   const u32 WAVES_N, const u32 FRAGS_M, const u32 FRAGS_N) {
	const u32 TILE_M = WAVES_M * FRAGS_M * FRAGMENT, TILE_N = WAVES_N * FRAGS_N * FRAGMENT;
	const u32 TILE_BYTES = TILE_M * TILE_N * SIZE, PARTS = FRAGS_M * FRAGS_N;
	u32 row = __builtin_amdgcn_workgroup_id_y() * TILE_M;
	u32 column = __builtin_amdgcn_workgroup_id_x() * TILE_N;
	u64 index = (u64)__builtin_amdgcn_workgroup_id_y() * TILES(N, TILE_N) +
	            __builtin_amdgcn_workgroup_id_x();
	u32 rows = M - row < TILE_M ? M - row : TILE_M, ld = N * SIZE;
	buffer tile = make_buffer(from + index * TILE_BYTES, TILE_BYTES);
	buffer out = make_buffer(to + (u64)row * ld + column * SIZE, rows * ld - column * SIZE);
	u32 lane_column = WAVE() % WAVES_N * FRAGS_N * FRAGMENT + LANE() % 16;
	u32 place = (WAVE() / WAVES_N * FRAGS_M * FRAGMENT + LANE() / 16 * 4) * ld;
	u32 row_at[MOST][4];

#pragma unroll
	for (u32 i = 0; i < FRAGS_M; i++)
#pragma unroll
		for (u32 r = 0; r < 4; r++) {
			row_at[i][r] = place + (i * FRAGMENT + r) * ld + lane_column * SIZE;
			KEEP_V(row_at[i][r]);
		}
#pragma unroll
	for (u32 j = 0; j < FRAGS_N; j++) {
		if (!IN_N(column + lane_column + j * FRAGMENT, N))
			continue;
		u32x4 x[MOST];
#pragma unroll
		for (u32 i = 0; i < FRAGS_M; i++)
			x[i] = __builtin_amdgcn_raw_buffer_load_b128(
				tile,
				(WAVE() * PARTS + i * FRAGS_N + j) * FRAGMENT_BYTES + LANE() * PART,
				0, 0);
#pragma unroll
		for (u32 i = 0; i < FRAGS_M; i++)
#pragma unroll
			for (u32 r = 0; r < 4; r++)
				__builtin_amdgcn_raw_buffer_store_b32(
					x[i][r], out, row_at[i][r] + j * FRAGMENT * SIZE, 0, 0);
	}
}

STREAM_KERNEL(256)
void decode_m128_n256(const GLOBAL u8 *from, GLOBAL u8 *to, u32 M, u32 N) {
	decode(from, to, M, N, 2, 2, 4, 8);
}

STREAM_KERNEL(512)
void decode_m64_n128(const GLOBAL u8 *from, GLOBAL u8 *to, u32 M, u32 N) {
	decode(from, to, M, N, 2, 4, 2, 2);
}
