/* Parts of the GEMMs of 256x256 tiles whose instructions are placed by hand: descriptors of a tile,
 * loads, the MFMA, and the output. For device code only. FORMAT_A and FORMAT_B, the element
 * formats, may be defined before; both are E2M1 by default.
 *
 * Loads, LDS reads and MFMA are volatile assembly, which the compiler keeps in this order. A wave
 * has fragments of 16x16 in 64 columns. The operands of the MFMA are exchanged, so that a lane
 * holds four adjacent columns of C. */
#ifndef PLACED_H
#define PLACED_H

#include "../gfx950.h"

/* Formats as MFMA has them. */
#define E4M3 0
#define E5M2 1
#define E2M3 2
#define E3M2 3
#define E2M1 4

#ifndef FORMAT_A
#define FORMAT_A E2M1
#define FORMAT_B E2M1
#endif

/* The formats in which they are decoded. */
#ifndef DECODED_A
#define DECODED_A FORMAT_A
#endif
#ifndef DECODED_B
#define DECODED_B FORMAT_B
#endif

/* The bits of an element; also the registers of a lane's 32 elements. */
#define BITS(format) ((format) == E2M1 ? 4 : (format) >= E2M3 ? 6 : 8)

enum {
	TILE = 256,
	STEP = 256, /* K of a tile */
	STEP_BLOCKS = STEP / 32,
	GROUP_ROWS = 32, /* that share a dword of scales */
	COLUMNS = 64,    /* of a wave */
	FRAGS_N = COLUMNS / 16,
};

/* Bytes. */
enum {
	CHUNK = 16,
	DMA = 64 * CHUNK,
	BEFORE_DMA = 3 * DMA,                  /* a tile, in its descriptor for LDS-DMA */
	SCALE_STEP = GROUP_ROWS * STEP_BLOCKS, /* of a group's scales */
};

typedef __bf16 bf16x4 __attribute__((ext_vector_type(4)));

/* ---- operands ---- */

struct matrices {
	const GLOBAL u8 *a, *a_scales, *b, *b_scales;
	u32 M, N, K;
};

INLINE u32 at_most(u32 x, u32 most) {
	return x < most ? x : most;
}

INLINE u32 ceil_div(u32 x, u32 by) {
	return (x + by - 1) / by;
}

/* x, which is uniform, in a scalar register: the compiler may compute it in vector registers, which
 * assembly does not accept. */
INLINE u32 scalar(u32 x) {
	x = __builtin_amdgcn_readfirstlane(x);
	asm("" : "+s"(x));
	return x;
}

/* The same of a constant. */
#define CONSTANT_SGPR(n)                                                                           \
	({                                                                                         \
		u32 constant;                                                                      \
		asm("s_mov_b32 %0, %1" : "=s"(constant) : "n"(n));                                 \
		constant;                                                                          \
	})

/* Of scales for GROUP_ROWS rows, with K padded to 8 blocks. */
INLINE u32 scale_bytes(u32 K) {
	return scalar(ceil_div(K, STEP) * SCALE_STEP);
}

/* The bytes of whole units of `rows` rows, from row `row` of `all` on, within a tile. */
#ifndef TILE_BYTES
#define TILE_BYTES(row, all, rows, unit) (ceil_div(at_most((all) - (row), TILE), rows) * (unit))
#endif

/* A descriptor of a tile's units, without their first `skip` bytes, but with `before` bytes. */
INLINE u32x4 tile_descriptor(const GLOBAL u8 *matrix, u32 row, u32 all, u32 rows, u32 unit,
                             u32 skip, u32 before) {
	u32 bytes = TILE_BYTES(row, all, rows, unit) - skip + before;
	return make_descriptor(matrix + (u64)(row / rows) * unit + skip - before, scalar(bytes));
}

/* `bytes` for a tile below `tiles`, else 0. In assembly, because the compiler might select in
 * vector registers. */
INLINE u32 bytes_of(u32 s, u32 tiles, u32 bytes) {
	u32 masked;
	asm("s_cmp_lt_u32 %1, %2\n\ts_cselect_b32 %0, %3, 0"
	    : "=s"(masked)
	    : "s"(s), "s"(tiles), "s"(bytes)
	    : "scc");
	return masked;
}

/* ---- instructions ---- */

#define WAIT_READS(left) __builtin_amdgcn_s_waitcnt(15 | 3 << 14 | 7 << 4 | (left) << 8)

#define USE_V(x) asm volatile("" ::"v"(x))

#define LOAD_DIRECT(size, value, descriptor, offset, soffset, imm)                                 \
	asm volatile("buffer_load_" size " %0, %1, %2, %3 offen offset:%4"                         \
	             : "=v"(value)                                                                 \
	             : "v"(offset), "s"(descriptor), "s"(soffset), "n"(imm))

/* The address of the next LDS-DMA. The compiler uses M0 for nothing in these kernels. Another
 * instruction has to stand between it and the load, which needs a wait state. */
#define SET_M0(base, add)                                                                          \
	asm volatile("s_add_u32 m0, %0, %1" ::"s"(base), "n"(add) : "scc", "memory")

/* The n-th LDS-DMA of a tile, at M0 of the first of its four. */
#define LOAD_LDS(n, descriptor, offset, soffset) LOAD_LDS_AFTER(n, 0, descriptor, offset, soffset)

/* The same, `bytes` after. */
#define LOAD_LDS_AFTER(n, bytes, descriptor, offset, soffset)                                      \
	asm volatile("buffer_load_dwordx4 %0, %1, %2 offen offset:%3 lds" ::"v"(offset),           \
	             "s"(descriptor), "s"(soffset), "n"((n) % 4 * DMA + (bytes))                   \
	             : "memory")

/* Adds x y, where byte 2 half + odd of a scale dword is that of the fragment, to registers of
 * assembly, `to`, from C on. */
#define MFMA_TEXT(to, C)                                                                           \
	"v_mfma_scale_f32_16x16x128_f8f6f4 " to ", %1, %2, " C                                     \
	", %3, %4 op_sel:[%5,%6,0] op_sel_hi:[%7,%7,0] "                                           \
	"cbsz:" TEXT(DECODED_B) " blgp:" TEXT(DECODED_A)
#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(x)  #x

#define MFMA_INPUTS(x, y, sx, sy, odd_x, odd_y, half)                                              \
	"v"(x), "v"(y), SCALE_INPUTS(sx, sy), "n"(odd_x), "n"(odd_y), "n"(half)
#ifndef SCALE_INPUTS
#define SCALE_INPUTS(sx, sy) "v"(sx), "v"(sy)
#endif

/* ---- output ---- */

/* Where a wave's fragments are in C, with elements of `size` bytes. */
struct output {
	u64 at;               /* the tile's first row, bytes */
	u32 bytes;            /* of the tile's rows */
	u32 col;              /* the wave's first column */
	u32 offset, next_row; /* the lane's in fragment 0, 0; from there to 1, 0 */
};

/* wave_row, wave_col: the wave's place in the tile. */
INLINE struct output find_output(u32 row, u32 col, u32 M, u32 N, u32 size, u32 wave_row,
                                 u32 wave_col) {
	u32 first = col + wave_col, ld = N * size;
	return (struct output){
		.at = (u64)row * ld,
		.bytes = at_most(M - row, TILE) * ld,
		.col = first,
		.offset = (wave_row + LANE() % 16) * ld + (first + LANE() / 16 * 4) * size,
		.next_row = 16 * ld,
	};
}

/* The bytes that the descriptor of fragments i, j has, if `end` columns are stored. Rows past the
 * last are past them. A fragment past the last column has none. */
INLINE u32 fragment_bytes(const struct output *o, u32 j, u32 end) {
	return o->col + 16 * j < end ? o->bytes : 0;
}

/* The columns that are stored four at a time: those of whole fragments, if rows of C are whole
 * dwords. The others are stored one by one. */
#ifndef PACKED_COLUMNS
#define PACKED_COLUMNS(N, size) ((N) * (size) % 4 ? 0 : (N) & ~15u)
#endif

/* A macro, because of a function clang shares a comparison with fragment_bytes, in registers. */
#define IS_BY_COLUMNS(o, j, packed, N)                                                             \
	((o)->col + 16 * (j) >= (packed) && (o)->col + 16 * (j) < (N))

/* The lane's offsets of its columns in fragment 0, j. Those past N are past the buffer's end. */
INLINE void find_columns(const struct output *o, u32 j, u32 N, u32 size, u32 at[4]) {
	u32 col = o->col + 16 * j + LANE() / 16 * 4;
#pragma unroll
	for (u32 r = 0; r < 4; r++)
		at[r] = col + r < N ? o->offset + (16 * j + r) * size : OUT_OF_RANGE;
}

INLINE void store_element(buffer to, u32 offset, u32 size, float x) {
	if (size == 2)
		__builtin_amdgcn_raw_buffer_store_b16(__builtin_bit_cast(u16, (__bf16)x), to,
		                                      offset, 0, 0);
	else
		__builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(u32, x), to, offset, 0, 0);
}

/* A fragment's columns one by one, `rows` bytes after their offsets. */
INLINE void store_columns(buffer to, const u32 at[4], u32 rows, u32 size, f32x4 x) {
#pragma unroll
	for (u32 r = 0; r < 4; r++)
		store_element(to, at[r] + rows, size, x[r]);
}

INLINE void store_fragment(buffer to, u32 offset, u32 size, f32x4 x) {
	u32x2 halves = __builtin_bit_cast(u32x2, __builtin_convertvector(x, bf16x4));
	if (size == 2)
		__builtin_amdgcn_raw_buffer_store_b64(halves, to, offset, 0, 0);
	else
		__builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(u32x4, x), to, offset, 0,
		                                       0);
}

#endif
