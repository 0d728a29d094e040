/* Integer opcodes of the vector ALU, 32 and 64 bits wide [ISA 12.7 to 12.10]. */
#include <string.h>

#include "lane_macros.h"

/* Both sources are loaded, so that the compiler needs no branch for each lane. */
LANE_FUNCTION(v_cndmask_b32) {
	for (size_t first = 0; first < MX_LANES; first += HALF) {
		uint32_t mask = (uint32_t)(x->mask_in >> first);
		for (size_t i = 0, l = first; i < HALF; i++, l++) {
			uint32_t a = A, b = B;
			D(mask >> i & 1 ? b : a);
		}
	}
}

/* ---- 32-bit integers ---- */

static inline int32_t s24(uint32_t v) {
	return (int32_t)(v << 8) >> 8;
}
#define U24(v) ((v)&0xffffff)
VALU_CLAMPS(v_mul_i32_i24, (int64_t)s24(A) * s24(B), I32_RANGE)
VALU(v_mul_hi_i32_i24, D((uint32_t)((int64_t)s24(A) * s24(B) >> 32)))
VALU_CLAMPS(v_mul_u32_u24, (int64_t)U24(A) * U24(B), U32_RANGE)
VALU(v_mul_hi_u32_u24, D((uint32_t)((uint64_t)U24(A) * U24(B) >> 32)))
VALU_CLAMPS(v_mad_i32_i24, (int64_t)s24(A) * s24(B) + IC, I32_RANGE)
VALU_CLAMPS(v_mad_u32_u24, (int64_t)U24(A) * U24(B) + C, U32_RANGE)
VALU(v_min_i32, D((uint32_t)MIN(IA, IB)))
VALU(v_max_i32, D((uint32_t)MAX(IA, IB)))
VALU(v_min_u32, D(MIN(A, B)))
VALU(v_max_u32, D(MAX(A, B)))
VALU(v_min3_i32, D((uint32_t)MIN(MIN(IA, IB), IC)))
VALU(v_max3_i32, D((uint32_t)MAX(MAX(IA, IB), IC)))
VALU(v_min3_u32, D(MIN(MIN(A, B), C)))
VALU(v_max3_u32, D(MAX(MAX(A, B), C)))
VALU(v_med3_i32, D((uint32_t)MAX(MIN(IA, IB), MIN(MAX(IA, IB), IC))))
VALU(v_med3_u32, D(MAX(MIN(A, B), MIN(MAX(A, B), C))))
/* The sum saturates: LLVM selects these for a saturating sum. */
#define SUM_U32 mx_clamped((int64_t)A + B, U32_RANGE)
#define SUM_I32 mx_clamped((int64_t)IA + IB, I32_RANGE)
VALU(v_add_max_u32, D((uint32_t)MAX(SUM_U32, (int64_t)C)))
VALU(v_add_min_u32, D((uint32_t)MIN(SUM_U32, (int64_t)C)))
VALU(v_add_max_i32, D((uint32_t)MAX(SUM_I32, (int64_t)IC)))
VALU(v_add_min_i32, D((uint32_t)MIN(SUM_I32, (int64_t)IC)))
VALU(v_minmax_i32, D((uint32_t)MAX(MIN(IA, IB), IC)))
VALU(v_maxmin_i32, D((uint32_t)MIN(MAX(IA, IB), IC)))
VALU(v_minmax_u32, D(MAX(MIN(A, B), C)))
VALU(v_maxmin_u32, D(MIN(MAX(A, B), C)))
VALU(v_lshrrev_b32, D(B >> (A & 31)))
VALU(v_ashrrev_i32, D((uint32_t)(IB >> (A & 31))))
VALU(v_lshlrev_b32, D(B << (A & 31)))
VALU(v_and_b32, D(A &B))
VALU(v_or_b32, D(A | B))
VALU(v_xor_b32, D(A ^ B))
VALU(v_xnor_b32, D(~(A ^ B)))
VALU(v_not_b32, D(~A))
VALU(v_mov_b32, D(A))
VALU(v_accvgpr_read_b32, D(A))
VALU(v_accvgpr_write_b32, D(A))
VALU(v_accvgpr_mov_b32, D(A))
VALU_CLAMPS(v_add_u32, (int64_t)A + B, U32_RANGE)
VALU_CLAMPS(v_sub_u32, (int64_t)A - B, U32_RANGE)
VALU_CLAMPS(v_subrev_u32, (int64_t)B - A, U32_RANGE)
VALU_CLAMPS(v_add_i32, (int64_t)IA + IB, I32_RANGE)
VALU_CLAMPS(v_sub_i32, (int64_t)IA - IB, I32_RANGE)

/* A carry or borrow is bit 32 of the exact result. With CLAMP such a result is out of range. */
#define WITH_CARRY(name, exact, beyond)                                                            \
	VALU(name, int64_t r = (exact); bool carry = r >> 32 & 1; OUT(carry);                      \
	     D(x->clamp && carry ? (beyond) : (uint32_t)r))
WITH_CARRY(v_add_co_u32, (int64_t)A + B, ~0u)
WITH_CARRY(v_sub_co_u32, (int64_t)A - B, 0)
WITH_CARRY(v_subrev_co_u32, (int64_t)B - A, 0)
WITH_CARRY(v_addc_co_u32, (int64_t)A + B + IN, ~0u)
WITH_CARRY(v_subb_co_u32, (int64_t)A - B - IN, 0)
WITH_CARRY(v_subbrev_co_u32, (int64_t)B - A - IN, 0)

VALU(v_mul_lo_u32, D(A *B))
VALU(v_mul_hi_u32, D((uint32_t)((uint64_t)A *B >> 32)))
VALU(v_mul_hi_i32, D((uint32_t)((int64_t)IA *IB >> 32)))
VALU(v_add3_u32, D(A + B + C))
VALU(v_xad_u32, D((A ^ B) + C))
VALU(v_lshl_add_u32, D((A << (B & 31)) + C))
VALU(v_add_lshl_u32, D((A + B) << (C & 31)))
VALU(v_lshl_or_b32, D(A << (B & 31) | C))
VALU(v_and_or_b32, D((A & B) | C))
VALU(v_or3_b32, D(A | B | C))
VALU(v_bfe_u32, D(A >> (B & 31) & ((1u << (C & 31)) - 1)))
VALU(v_bfi_b32, D((A & B) | (~A & C)))
VALU(v_bfm_b32, D(((1u << (A & 31)) - 1) << (B & 31)))
VALU(v_alignbit_b32, D((uint32_t)((B | (uint64_t)A << 32) >> (C & 31))))
VALU(v_alignbyte_b32, D((uint32_t)((B | (uint64_t)A << 32) >> (8 * (C & 3)))))

static inline uint32_t signed_field(uint32_t v, unsigned offset, unsigned width) {
	if (!width)
		return 0;
	v >>= offset;
	return width + offset >= 32 ? (uint32_t)((int32_t)(v << offset) >> offset)
	                            : (uint32_t)((int32_t)(v << (32 - width)) >> (32 - width));
}
VALU(v_bfe_i32, D(signed_field(A, B & 31, C & 31)))

static inline uint32_t reversed(uint32_t v) {
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(v);
}
VALU(v_bfrev_b32, D(reversed(A)))
VALU(v_ffbh_u32, D(A ? (uint32_t)__builtin_clz(A) : ~0u))
VALU(v_ffbl_b32, D(A ? (uint32_t)__builtin_ctz(A) : ~0u))
/* The number of leading bits equal to the sign; -1 if all bits are equal. */
VALU(v_ffbh_i32, uint32_t v = IA < 0 ? ~A : A; D(v ? (uint32_t)__builtin_clz(v) : ~0u))
VALU(v_bcnt_u32_b32, D((uint32_t)__builtin_popcount(A) + B))

/* The mask of lanes below l in the low or high half of the wave. */
static inline uint32_t below(unsigned l, unsigned half) {
	unsigned n = l < 32 * half ? 0 : l - 32 * half;
	return n >= 32 ? ~0u : (1u << n) - 1;
}
VALU(v_mbcnt_lo_u32_b32, D((uint32_t)__builtin_popcount(A &below(l, 0)) + B))
VALU(v_mbcnt_hi_u32_b32, D((uint32_t)__builtin_popcount(A &below(l, 1)) + B))

VALU(v_mad_u32, D(A *B + C))
VALU(v_xor3_b32, D(A ^ B ^ C))
VALU(v_bitop3_b32, D(mx_bitop3(x->truth, A, B, C)))

/* The third source of the truth table is 0 [LLVM: 0x40 is AND]. */
VALU(v_bitop2_b32, D(mx_bitop3(x->truth, A, B, 0)))

/* One step of a linear feedback shift register. */
VALU(v_prng_b32, D(A << 1 ^ (IA < 0 ? 197 : 0)))

/* ---- 64-bit integers ---- */

VALU(v_mov_b64, D64(WIDE(0)))
VALU(v_lshlrev_b64, D64(WIDE(1) << (A & 63)))
VALU(v_lshrrev_b64, D64(WIDE(1) >> (A & 63)))
VALU(v_ashrrev_i64, D64((uint64_t)((int64_t)WIDE(1) >> (A & 63))))
/* Shift amounts 5 to 7 count as 0. */
VALU(v_lshl_add_u64, D64((WIDE(0) << ((B & 7) > 4 ? 0 : B & 7)) + WIDE(2)))
VALU(v_add_nc_u64, D64(WIDE(0) + WIDE(1)))
VALU(v_sub_nc_u64, D64(WIDE(0) - WIDE(1)))
VALU(v_mul_u64, D64(WIDE(0) * WIDE(1)))
/* The carry is bit 64 of the exact sum; for a signed sum, its sign. The compiler makes vector
 * instructions of a loop with a mask of 64 bits and without a clamp. */
#define MAD_64(name, product, carry, clamped)                                                      \
	LANE_FUNCTION(name) {                                                                      \
		uint64_t mask = 0;                                                                 \
		uint32_t low[MX_LANES], high[MX_LANES];                                            \
		for (size_t l = 0; l < MX_LANES; l++) {                                            \
			uint64_t p = (product), c = WIDE(2), r = p + c;                            \
			mask |= (carry) << l;                                                      \
			low[l] = (uint32_t)r;                                                      \
			high[l] = (uint32_t)(r >> 32);                                             \
		}                                                                                  \
		memcpy(x->d[0], low, sizeof low);                                                  \
		memcpy(x->d[1], high, sizeof high);                                                \
		x->mask_out |= mask;                                                               \
		for (size_t l = 0; x->clamp && l < MX_LANES; l++) {                                \
			uint64_t p = (product), c = WIDE(2), r = p + c;                            \
			D64(clamped);                                                              \
		}                                                                                  \
	}
#define OVER        ((uint64_t)(r < c))
#define SIGN(v)     ((uint64_t)(v) >> 63)
#define SIGNED_OVER SIGN((r ^ p) & (r ^ c))
MAD_64(v_mad_u64_u32, (uint64_t)A *B, OVER, OVER ? UINT64_MAX : r)
MAD_64(v_mad_i64_i32, (uint64_t)((int64_t)IA * IB), SIGN(r) ^ SIGNED_OVER,
       !SIGNED_OVER ? r
       : SIGN(r)    ? (uint64_t)INT64_MAX
                    : (uint64_t)INT64_MIN)

/* The same without the carry. */
SAME(v_mad_nc_u64_u32, v_mad_u64_u32)
SAME(v_mad_nc_i64_i32, v_mad_i64_i32)
VALU(v_min_i64, D64((uint64_t)MIN((int64_t)WIDE(0), (int64_t)WIDE(1))))
VALU(v_max_i64, D64((uint64_t)MAX((int64_t)WIDE(0), (int64_t)WIDE(1))))
VALU(v_min_u64, D64(MIN(WIDE(0), WIDE(1))))
VALU(v_max_u64, D64(MAX(WIDE(0), WIDE(1))))

/* ---- comparisons ---- */

COMPARE_INTEGERS(i32, IA, IB)
COMPARE_INTEGERS(u32, A, B)
COMPARE_INTEGERS(i64, (int64_t)WIDE(0), (int64_t)WIDE(1))
COMPARE_INTEGERS(u64, WIDE(0), WIDE(1))
