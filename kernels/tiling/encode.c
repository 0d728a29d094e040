/* Data tiling of MXFP4 operands for gfx950: codes and scales from rows to the tiles that
 * tiled_gemm.h multiplies, padded to whole tiles with zeros.
 *
 * The order is that of IREE's microkernels m128_n256_k256 and m64_n128_k512. Tiles follow each other
 * along K, then along the rows. A fragment, 16 rows of 128 elements, is 1024 bytes: lane (q, r) has
 * the 16 bytes of block q of row r. A tile has the fragments of its first 16 rows along K, then
 * those of the next. Of scales lane (q, r) has those of block q of row r of a group of fragments:
 * m128_n256_k256 groups the rows of a wave, m64_n128_k512 only fragments along K.
 *
 * Rows past the last are past the end of a descriptor, blocks past K are masked by EXEC. Any number
 * of rows; K is a multiple of 32. Rows of one tile are below 4 GiB.
 */
#include "../gfx950.h"

enum { FRAGMENT = 16, FRAGMENT_BYTES = 1024, PART = 16, STEP = 64, STEP_BLOCKS = 4 };

#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

/* The number of tiles along K. */
#ifndef K_TILES
#define K_TILES(size, tile) CEIL_DIV(size, tile)
#endif

/* The position of a tile among all. */
#ifndef TILE_INDEX
#define TILE_INDEX(row, k, rows, ks) ((row) * (ks) + (k))
#endif

/* Whether K has the bytes from `at` on, of `left`. */
#ifndef IN_K
#define IN_K(at, left) ((at) < (left))
#endif

/* The codes of a fragment. */
#ifndef CODES
#define CODES(x) (x)
#endif

/* The place of a scale among those of a lane: of fragment i of the group, step k of STEPS. */
#ifndef SCALE_AT
#define SCALE_AT(i, k, GROUP, STEPS) ((i) * (STEPS) + (k))
#endif

/* The content of padded scales. */
#ifndef SCALE_FILL
#define SCALE_FILL 0
#endif

/* The row of a group from which lane r has its scales. */
#ifndef SCALE_ROW
#define SCALE_ROW(r) (r)
#endif

/* Waves of a workgroup, for codes; of a wave at most: rows of fragments, steps of K, and rows of
 * fragments whose scales are side by side. */
enum { WAVES = 4, MOST = 4, MOST_GROUP = 8 };

/* A wave moves ROWS / 64 rows of fragments of the workgroup's tile of ROWS rows and BYTES bytes. */
INLINE void encode_codes(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 ld, const u32 ROWS,
                         const u32 BYTES) {
	const u32 STEPS = BYTES / STEP, MINE = ROWS / FRAGMENT / WAVES;
	u32 k = __builtin_amdgcn_workgroup_id_x(), tile = __builtin_amdgcn_workgroup_id_y();
	u32 rows_left = rows - tile * ROWS, left = ld - k * BYTES;
	u32 first = WAVE() * MINE, part = LANE() / 16 * PART;
	u32 lane = (first * FRAGMENT + LANE() % 16) * ld + part;
	buffer source = make_buffer(from + (u64)tile * ROWS * ld + k * BYTES,
	                            (rows_left < ROWS ? rows_left : ROWS) * ld - k * BYTES);
	u64 index = TILE_INDEX((u64)tile, k, CEIL_DIV(rows, ROWS), K_TILES(ld, BYTES));
	buffer tiles = make_buffer(to + index * ROWS * BYTES, ROWS * BYTES);
	u32x4 codes[MOST][MOST];

#pragma unroll
	for (u32 s = 0; s < STEPS; s++) {
#pragma unroll
		for (u32 i = 0; i < MINE; i++)
			codes[i][s] = (u32x4){ 0 };
		if (IN_K(part + s * STEP, left)) {
#pragma unroll
			for (u32 i = 0; i < MINE; i++)
				codes[i][s] = __builtin_amdgcn_raw_buffer_load_b128(
					source, lane + i * FRAGMENT * ld + s * STEP, 0, 0);
		}
	}
#pragma unroll
	for (u32 i = 0; i < MINE; i++)
#pragma unroll
		for (u32 s = 0; s < STEPS; s++)
			__builtin_amdgcn_raw_buffer_store_b128(
				CODES(codes[i][s]), tiles,
				((first + i) * STEPS + s) * FRAGMENT_BYTES + LANE() * PART, 0, 0);
}

/* A wave makes the scales of GROUP fragments of rows and of STEPS steps of K. */
INLINE void encode_scales(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 blocks,
                          const u32 ROWS, const u32 GROUP, const u32 STEPS) {
	const u32 UNIT = FRAGMENT * GROUP, BYTES = GROUP * STEPS;
	u32 k = __builtin_amdgcn_workgroup_id_x(), unit = __builtin_amdgcn_workgroup_id_y();
	u32 rows_left = rows > unit * UNIT ? rows - unit * UNIT : 0;
	u32 first = k * STEP_BLOCKS * STEPS + LANE() / 16;
	buffer source = make_buffer(from + (u64)unit * UNIT * blocks,
	                            (rows_left < UNIT ? rows_left : UNIT) * blocks);
	u32 scale[MOST_GROUP][MOST], packed[4] = { 0 };

#pragma unroll
	for (u32 s = 0; s < STEPS; s++) {
#pragma unroll
		for (u32 i = 0; i < GROUP; i++)
			scale[i][s] = SCALE_FILL;
		if (IN_K(first + s * STEP_BLOCKS, blocks)) {
#pragma unroll
			for (u32 i = 0; i < GROUP; i++)
				scale[i][s] = __builtin_amdgcn_raw_buffer_load_b8(
					source,
					(i * FRAGMENT + SCALE_ROW(LANE() % 16)) * blocks + first +
						s * STEP_BLOCKS,
					0, 0);
		}
	}
#pragma unroll
	for (u32 i = 0; i < GROUP; i++)
#pragma unroll
		for (u32 s = 0; s < STEPS; s++) {
			u32 at = SCALE_AT(i, s, GROUP, STEPS);
			packed[at / 4] |= scale[i][s] << at % 4 * 8;
		}
	const u32 UNITS = ROWS / UNIT;
	u64 tile = TILE_INDEX((u64)(unit / UNITS), k, CEIL_DIV(rows, ROWS),
	                      K_TILES(blocks, STEP_BLOCKS * STEPS));
	GLOBAL u8 *place = to + (tile * UNITS + unit % UNITS) * 64 * BYTES + LANE() * BYTES;
	__builtin_memcpy((GLOBAL void *)place, packed, BYTES);
}

#define ENCODE_CODES(name, ROWS, K)                                                                \
	STREAM_KERNEL(64 * WAVES)                                                                  \
	void encode_##name(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 ld) {               \
		encode_codes(from, to, rows, ld, ROWS, (K) / 2);                                   \
	}
#define ENCODE_SCALES(name, ROWS, GROUP, K)                                                        \
	STREAM_KERNEL(64)                                                                          \
	void encode_scale_##name(const GLOBAL u8 *from, GLOBAL u8 *to, u32 rows, u32 blocks) {     \
		encode_scales(from, to, rows, blocks, ROWS, GROUP, (K) / 128);                     \
	}

ENCODE_CODES(m128_k256, 128, 256)
ENCODE_CODES(n256_k256, 256, 256)
ENCODE_CODES(m64_k512, 64, 512)
ENCODE_CODES(n128_k512, 128, 512)

ENCODE_SCALES(m128_k256, 128, 4, 256)
ENCODE_SCALES(n256_k256, 256, 8, 256)
ENCODE_SCALES(m64_k512, 64, 1, 512)
ENCODE_SCALES(n128_k512, 128, 1, 512)
