/* Byte operations of the vector ALU: sums of absolute differences, lerp, permutation [ISA
 * 12.11]. */
#include <string.h>

#include "lane_macros.h"

#ifdef __SSSE3__
#include <immintrin.h>
#endif

#define ABSDIFF(p, q) ((p) > (q) ? (p) - (q) : (q) - (p))

/* Sum of absolute differences of four bytes. If `masked`, bytes with reference 0 in q are
 * skipped. */
static inline uint32_t sad(uint32_t p, uint32_t q, bool masked) {
	uint32_t sum = 0;
	for (unsigned i = 0; i < 32; i += 8) {
		uint32_t v = p >> i & 0xff, r = q >> i & 0xff;
		sum += masked && !r ? 0 : ABSDIFF(v, r);
	}
	return sum;
}
VALU_CLAMPS(v_sad_u8, (int64_t)C + sad(A, B, false), U32_RANGE)
VALU_CLAMPS(v_msad_u8, (int64_t)C + sad(A, B, true), U32_RANGE)
VALU_CLAMPS(v_sad_hi_u8, (int64_t)C + (sad(A, B, false) << 16), U32_RANGE)
VALU_CLAMPS(v_sad_u16, (int64_t)C + ABSDIFF(A & 0xffff, B & 0xffff) + ABSDIFF(A >> 16, B >> 16),
            U32_RANGE)
VALU_CLAMPS(v_sad_u32, (int64_t)C + ABSDIFF(A, B), U32_RANGE)

/* Four sums over bytes i to i + 3 of the first source, added to 16-bit numbers. */
static inline uint64_t sads_of_16(uint64_t p, uint32_t q, uint64_t c, bool masked, bool clamp) {
	uint64_t d = 0;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t r = sad((uint32_t)(p >> 8 * i), q, masked) + (c >> 16 * i & 0xffff);
		d |= (uint64_t)(clamp ? MIN(r, 0xffff) : r & 0xffff) << 16 * i;
	}
	return d;
}
VALU(v_qsad_pk_u16_u8, D64(sads_of_16(WIDE(0), B, WIDE(2), false, x->clamp)))
VALU(v_mqsad_pk_u16_u8, D64(sads_of_16(WIDE(0), B, WIDE(2), true, x->clamp)))
VALU(
	v_mqsad_u32_u8, for (unsigned i = 0; i < 4; i++) {
		uint64_t r = (uint64_t)x->s[2][i][l] + sad((uint32_t)(WIDE(0) >> 8 * i), B, true);
		x->d[i][l] = (uint32_t)(x->clamp ? MIN(r, 0xffffffff) : r);
	})

/* The average of bytes. Bit 0 of the third source's byte rounds a half up. */
static inline uint32_t lerp(uint32_t p, uint32_t q, uint32_t up) {
	uint32_t d = 0;
	for (unsigned i = 0; i < 32; i += 8)
		d |= ((p >> i & 0xff) + (q >> i & 0xff) + (up >> i & 1)) >> 1 << i;
	return d;
}
VALU(v_lerp_u8, D(lerp(A, B, C)))

/* Four lanes. */
typedef uint8_t bytes __attribute__((vector_size(16)));

static inline bytes bytes_of(const uint32_t *lanes) {
	bytes x;
	memcpy(&x, lanes, sizeof x);
	return x;
}

static inline bytes bytes_at(bytes x, bytes at) {
#ifdef __SSSE3__
	return (bytes)_mm_shuffle_epi8((__m128i)x, (__m128i)at);
#else
	bytes d;
	for (unsigned i = 0; i < sizeof d; i++)
		d[i] = x[at[i]];
	return d;
#endif
}

static inline bytes choose(bytes mask, bytes x, bytes y) {
	return (x & mask) | (y & ~mask);
}

/* Selectors 0..7 select a byte of {A, B}, 8..11 the sign of byte 1, 3, 5 or 7; 12 gives 0x00, 13
 * and above 0xff. */
static inline bytes permuted(bytes a, bytes b, bytes s) {
	const bytes first = { 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12 };
	bytes at = first + (s & 3), of_a = (bytes)((s & 4) != 0);
	bytes byte = choose(of_a, bytes_at(a, at), bytes_at(b, at));
	bytes signed_at = first + 1 + 2 * (s & 1), sign_of_a = (bytes)((s & 2) != 0);
	bytes sign = choose(sign_of_a, bytes_at(a, signed_at), bytes_at(b, signed_at)) >= 0x80;
	return choose((bytes)(s < 8), byte, choose((bytes)(s < 12), sign, (bytes)(s > 12)));
}

LANE_FUNCTION(v_perm_b32) {
	for (unsigned l = 0; l < MX_LANES; l += 4) {
		bytes d = permuted(bytes_of(&A), bytes_of(&B), bytes_of(&C));
		memcpy(&x->d[0][l], &d, sizeof d);
	}
}

/* Four bytes to four bits each, saturating. */
static inline uint32_t four_bits(uint32_t v, bool sign) {
	uint32_t d = 0;
	for (unsigned i = 0; i < 4; i++) {
		int64_t byte = sign ? (int8_t)(v >> 8 * i) : (uint8_t)(v >> 8 * i);
		d |= ((uint32_t)mx_clamped(byte, sign ? -8 : 0, sign ? 7 : 15) & 15) << 4 * i;
	}
	return d;
}
VALU(v_sat_pk4_i4_i8, D(four_bits(A, true)))
VALU(v_sat_pk4_u4_u8, D(four_bits(A, false)))

/* ---- 16 elements of a table of 16, by 4-bit numbers. Of gfx1250 ---- */

/* `table`, `d`: elements of `bits` bits from bit 0 of the first dword on. */
static inline void look_up(const uint32_t *table, unsigned bits, uint64_t numbers, uint32_t *d) {
	memset(d, 0, MX_VALU_DWORDS * sizeof *d);
	for (unsigned i = 0; i < 16 * bits; i++) {
		unsigned from = (unsigned)(numbers >> 4 * (i / bits) & 15) * bits + i % bits;
		d[i / 32] |= (table[from / 32] >> from % 32 & 1) << i % 32;
	}
}
#define LOOK_UP(name, bits, ...)                                                                   \
	VALU(name, const uint32_t table[MX_VALU_DWORDS] = __VA_ARGS__; uint32_t d[MX_VALU_DWORDS]; \
	     look_up(table, bits, WIDE(2), d);                                                     \
	     for (unsigned h = 0; h < bits / 2; h++) x->d[h][l] = d[h])
#define LOW(i)  x->s[i][0][l]
#define HIGH(i) x->s[i][1][l]
LOOK_UP(v_perm_pk16_b4_u4, 4, { LOW(1), LOW(0) })
LOOK_UP(v_perm_pk16_b6_u4, 6, { LOW(1), HIGH(1), LOW(0) })
LOOK_UP(v_perm_pk16_b8_u4, 8, { LOW(1), HIGH(1), LOW(0), HIGH(0) })
