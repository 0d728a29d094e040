/* MXFP4 quantisation of rows for gfx950: X[M][K] to E2M1 codes[M][K/2] and E8M0 scales[M][K/32].
 *
 * X is row-major f32 or bf16. The scale of 32 elements is floor(log2 amax) - 2 [OCP MX v1.0, 6.3],
 * and elements are rounded to nearest even and saturated by v_cvt_scalef32_pk_fp4. Any M; K a
 * multiple of 32. Matrices may exceed 4 GiB; a row must be below 2 GiB.
 *
 * A workgroup is a wave, with 512 elements of a row. Four lanes share a block: each has 8 elements
 * and writes their codes, and the first of them writes the scale.
 */
#include "../gfx950.h"

typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));

enum { OF_LANE = 8, OF_BLOCK = 32, OF_WAVE = 64 * OF_LANE };
enum { EMAX = 2, INFINITE = 0x7f800000 };

/* The elements of a row that are quantised. */
#ifndef COVERED
#define COVERED(K) (K)
#endif

INLINE u32 larger(u32 a, u32 b) {
	return a > b ? a : b;
}

/* Of the four lanes of a block. NaN is the largest of all patterns without their sign. */
INLINE u32 largest(u32 x) {
	enum { SWAP_ONE = 0xb1, SWAP_TWO = 0x4e }; /* quad_perm:[1,0,3,2], [2,3,0,1] */
	x = larger(x, __builtin_amdgcn_mov_dpp(x, SWAP_ONE, 15, 15, 1));
	return larger(x, __builtin_amdgcn_mov_dpp(x, SWAP_TWO, 15, 15, 1));
}

/* The scale's byte for the largest magnitude, as a pattern of f32. */
INLINE u32 scale_of(u32 amax) {
	u32 field = amax >> 23;
	return amax >= INFINITE ? 0xff : field < EMAX ? 0 : field - EMAX;
}

/* The conversion reads the exponent of an f32 alone. */
INLINE float as_f32(u32 scale) {
	return __builtin_bit_cast(float, scale << 23);
}

struct row {
	buffer x, codes, scales;
	u32 k, K; /* the lane's first element, and their number in a row */
};

INLINE struct row make_row(const GLOBAL u8 *x, GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K,
                           u32 size) {
	u64 row = __builtin_amdgcn_workgroup_id_y();
	return (struct row){
		make_buffer(x + row * K * size, K * size),
		make_buffer(codes + row * (K / 2), K / 2),
		make_buffer(scales + row * (K / OF_BLOCK), K / OF_BLOCK),
		__builtin_amdgcn_workgroup_id_x() * OF_WAVE + LANE() * OF_LANE,
		COVERED(K),
	};
}

/* 16 bytes of the row; zeros past its end. */
INLINE u32x4 load(const struct row *r, u32 offset) {
	return __builtin_amdgcn_raw_buffer_load_b128(r->x, offset, 0, 0);
}

INLINE void store(const struct row *r, u32 codes, u32 scale) {
	u32 in = r->k < r->K;
	__builtin_amdgcn_raw_buffer_store_b32(codes, r->codes, in ? r->k / 2 : OUT_OF_RANGE, 0, 0);
	u32 first = in && r->k % OF_BLOCK == 0;
	__builtin_amdgcn_raw_buffer_store_b8((u8)scale, r->scales,
	                                     first ? r->k / OF_BLOCK : OUT_OF_RANGE, 0, 0);
}

#define MAGNITUDE(x) ((x)&0x7fffffff)

STREAM_KERNEL(64)
void mxfp4_quantise_f32(const GLOBAL u8 *X, GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K) {
	struct row r = make_row(X, codes, scales, K, 4);
	u32x4 low = load(&r, r.k * 4), high = load(&r, r.k * 4 + 16);
	u32 amax = 0, packed = 0;
#pragma unroll
	for (u32 i = 0; i < 4; i++)
		amax = larger(amax, larger(MAGNITUDE(low[i]), MAGNITUDE(high[i])));
	u32 scale = scale_of(largest(amax));
	f32x4 l = __builtin_bit_cast(f32x4, low), h = __builtin_bit_cast(f32x4, high);
#define PACK(x, y, byte)                                                                           \
	packed = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(packed, x, y, as_f32(scale), byte)
	PACK(l.x, l.y, 0);
	PACK(l.z, l.w, 1);
	PACK(h.x, h.y, 2);
	PACK(h.z, h.w, 3);
	store(&r, packed, scale);
}

STREAM_KERNEL(64)
void mxfp4_quantise_bf16(const GLOBAL u8 *X, GLOBAL u8 *codes, GLOBAL u8 *scales, u32 K) {
	struct row r = make_row(X, codes, scales, K, 2);
	u32x4 x = load(&r, r.k * 2);
	u32 amax = 0, packed = 0;
#pragma unroll
	for (u32 i = 0; i < 4; i++)
		amax = larger(amax, larger(MAGNITUDE(x[i]) & 0xffff0000, MAGNITUDE(x[i] << 16)));
	u32 scale = scale_of(largest(amax));
#define PACK_BF16(pair, byte)                                                                      \
	packed = __builtin_amdgcn_cvt_scalef32_pk_fp4_bf16(                                        \
		packed, __builtin_bit_cast(bf16x2, pair), as_f32(scale), byte)
	PACK_BF16((u32)x.x, 0);
	PACK_BF16((u32)x.y, 1);
	PACK_BF16((u32)x.z, 2);
	PACK_BF16((u32)x.w, 3);
	store(&r, packed, scale);
}
