/* Conversions between floats and integers [ISA 12.8, 12.11]. */
#include "float_bits.h"
#include "lane_macros.h"

/* ---- between floats: rounded as MODE selects; NaN keeps its upper bits and becomes quiet ---- */

static inline uint32_t f16_from_f32(uint32_t u, uint32_t mode) {
	uint32_t nan = (u >> 16 & 0x8000) | 0x7e00 | (u >> 13 & 0x3ff);
	return is_nan_f32(u) ? nan : bits_f16(real_f32(u), mode);
}
static inline uint32_t f32_from_f16(uint32_t u) {
	uint32_t nan = (u & 0x8000) << 16 | 0x7fc00000 | (u & 0x3ff) << 13;
	return is_nan_f16(u & 0xffff) ? nan : bits_f32((float)real_f16(u), 0);
}
static inline uint32_t f32_from_f64(uint64_t u) {
	uint32_t nan = (uint32_t)(u >> 32 & 0x80000000) | 0x7fc00000 | (u >> 29 & 0x7fffff);
	return is_nan_f64(u) ? nan : bits_f32((float)real_f64(u), 0);
}
static inline uint64_t f64_from_f32(uint32_t u) {
	uint64_t nan = (uint64_t)(u & 0x80000000) << 32 | UINT64_C(0x7ff8) << 48 |
	               (uint64_t)(u & 0x7fffff) << 29;
	return is_nan_f32(u) ? nan : bits_f64(real_f32(u), 0);
}
VALU(v_cvt_f16_f32, D(f16_from_f32(A, x->mode)))
VALU(v_cvt_f32_f16, D(f32_from_f16(A)))
VALU(v_cvt_f32_f64, D(f32_from_f64(WIDE(0))))
VALU(v_cvt_f64_f32, D64(f64_from_f32(A)))
VALU(v_cvt_f32_bf16, D(result_f32(A << 16, A << 16, 0, 0)))

/* ---- from integers, rounded as MODE selects ---- */

VALU(v_cvt_f32_i32, D(bits_f32((float)IA, 0)))
VALU(v_cvt_f32_u32, D(bits_f32((float)any_sign(A), 0)))
VALU(v_cvt_f64_i32, D64(bits_f64(IA, 0)))
VALU(v_cvt_f64_u32, D64(bits_f64((double)any_sign(A), 0)))
VALU(v_cvt_f16_i16, D(bits_f16((int16_t)A, x->mode)))
VALU(v_cvt_f16_u16, D(bits_f16((uint16_t)A, x->mode)))
VALU(v_cvt_f32_ubyte0, D(bits_f32((float)(A & 0xff), 0)))
VALU(v_cvt_f32_ubyte1, D(bits_f32((float)(A >> 8 & 0xff), 0)))
VALU(v_cvt_f32_ubyte2, D(bits_f32((float)(A >> 16 & 0xff), 0)))
VALU(v_cvt_f32_ubyte3, D(bits_f32((float)(A >> 24), 0)))
/* A signed 4-bit number of sixteenths. */
VALU(v_cvt_off_f32_i4, D(bits_f32((float)((int32_t)(A << 28) >> 28) / 16, 0)))

/* ---- to integers: saturating; NaN becomes 0 ---- */

/* r is an integer, infinite or NaN. The limits are integers. */
static inline int64_t saturated(double r, double least, double most) {
	r = r < least ? least : r > most ? most : r;
	return (int64_t)(r == r ? r : 0.0);
}
#define TO_I32(r) ((uint32_t)saturated(r, INT32_MIN, INT32_MAX))
#define TO_U32(r) ((uint32_t)saturated(r, 0, UINT32_MAX))
#define TO_I16(r) ((uint32_t)saturated(r, INT16_MIN, INT16_MAX) & 0xffff)
#define TO_U16(r) ((uint32_t)saturated(r, 0, UINT16_MAX))
#define R64       real_f64(WIDE(0))
VALU(v_cvt_i32_f32, D(TO_I32(trunc_f32(real_f32(A)))))
VALU(v_cvt_u32_f32, D(TO_U32(trunc_f32(real_f32(A)))))
VALU(v_cvt_i32_f64, D(TO_I32(trunc_f64(R64))))
VALU(v_cvt_u32_f64, D(TO_U32(trunc_f64(R64))))
VALU(v_cvt_i16_f16, D(TO_I16(trunc_f16(real_f16(A & 0xffff)))))
VALU(v_cvt_u16_f16, D(TO_U16(trunc_f16(real_f16(A & 0xffff)))))
VALU(v_cvt_flr_i32_f32, D(TO_I32(floor_f32(real_f32(A)))))
/* floor(x + 0.5). The sum is exact in double, except for small numbers, for which rounding does not
 * change the floor. The manual writes a sum of f32 and promises 0.5 ULP. If the f32 sum, rounded to
 * nearest, has another floor, the result is assumed. */
static inline double nearest_up(float r) {
	double d = r;
	return floor_f64(fabs(d) < 0.25 ? 0 : d + 0.5);
}
static inline bool half_is_lost(float r) {
	return floor_f32(r + 0.5f) != nearest_up(r) && r == r;
}
VALU(v_cvt_rpi_i32_f32, D(TO_I32(nearest_up(real_f32(A))));
     ASSUME_IF(half_is_lost(real_f32(A)), EXACT_HALF))

/* Rounds |r| < 2^51 to an integer in the host's rounding, which is that of MODE. */
static inline double rounded(double r) {
	double with = r < 0 ? -0x1.8p52 : 0x1.8p52;
	return (r + with) - with;
}
static inline uint32_t byte_of(uint32_t u) {
	double r = real_f32(u);
	return (uint32_t)saturated(rounded(r < 0 ? 0 : r > 255 ? 255 : r), 0, 255);
}
static inline uint32_t with_byte(uint32_t byte, uint32_t place, uint32_t old) {
	unsigned shift = 8 * (place & 3);
	return (old & ~(0xffu << shift)) | byte << shift;
}
/* The manual does not define f32_to_u8: only integers that fit in a byte have a certain result. */
VALU(v_cvt_pk_u8_f32, D(with_byte(byte_of(A), B, C));
     ASSUME_IF((float)byte_of(A) != real_f32(A), TO_BYTE))
SAME(v_cvt_pkaccum_u8_f32, v_cvt_pk_u8_f32)

/* ---- to fractions of 32767 or 65535, in the host's rounding, which is that of MODE ---- */

/* The clamped number times 32767 or 65535 is exact in double and rounded once. For f16 the manual
 * promises 0.5 ULP and the rounding of MODE [ISA 12.8], so only NaN is assumed. It does not define
 * the pairs. Mesa's compiler selects them for pack_snorm_2x16 and pack_unorm_2x16, which are the
 * nearest even of a product of f32. If that can be another number, or MODE selects another
 * rounding, the result is assumed. */
static inline bool is_norm_open(double r, double most, uint32_t mode, bool wide) {
	double v = fmin(fabs(r), 1) * most, fraction = v - trunc_f64(v);
	unsigned rounding = mode >> (wide ? MX_MODE_ROUND_F64 : MX_MODE_ROUND_F32) & 3;
	return r != r || (fraction != 0 && (rounding || fabs(fraction - 0.5) <= v * 0x1p-23));
}
static inline uint32_t to_snorm(double r) {
	r = r < -1 ? -1 : r > 1 ? 1 : r;
	return TO_I16(rounded(r * 32767));
}
static inline uint32_t to_unorm(double r) {
	r = r < 0 ? 0 : r > 1 ? 1 : r;
	return TO_U16(rounded(r * 65535));
}
#define F16(i)       real_f16(x->s[i][0][l] & 0xffff)
#define F32(i)       real_f32(x->s[i][0][l])
#define PAIR(lo, hi) D((lo) | (hi) << 16)
#define OPEN(source, most, wide)                                                                   \
	ASSUME_IF(is_norm_open(source(0), most, x->mode, wide) ||                                  \
	                  is_norm_open(source(1), most, x->mode, wide),                            \
	          NORM_TIE)
VALU(v_cvt_norm_i16_f16, D(to_snorm(F16(0))); ASSUME_IF(isnan(F16(0)), NORM_TIE))
VALU(v_cvt_norm_u16_f16, D(to_unorm(F16(0))); ASSUME_IF(isnan(F16(0)), NORM_TIE))
VALU(v_cvt_pknorm_i16_f16, PAIR(to_snorm(F16(0)), to_snorm(F16(1))); OPEN(F16, 32767, true))
VALU(v_cvt_pknorm_u16_f16, PAIR(to_unorm(F16(0)), to_unorm(F16(1))); OPEN(F16, 65535, true))
VALU(v_cvt_pknorm_i16_f32, PAIR(to_snorm(F32(0)), to_snorm(F32(1))); OPEN(F32, 32767, false))
VALU(v_cvt_pknorm_u16_f32, PAIR(to_unorm(F32(0)), to_unorm(F32(1))); OPEN(F32, 65535, false))

VALU(v_cvt_pk_i16_f32, PAIR(TO_I16(trunc_f32(F32(0))), TO_I16(trunc_f32(F32(1)))))
VALU(v_cvt_pk_u16_f32, PAIR(TO_U16(trunc_f32(F32(0))), TO_U16(trunc_f32(F32(1)))))

/* ---- pairs of f16 ---- */

VALU(v_pack_b32_f16, PAIR(A & 0xffff, B & 0xffff))

/* Rounds toward zero in any MODE by truncating the bits that f16 does not have. */
static inline uint32_t f16_toward_zero(uint32_t u, uint32_t mode) {
	double r = real_f32(u), cut = trunc_f64(r * 0x1p24) * 0x1p-24;
	double kept = real_f32(u & ~UINT32_C(0x1fff));
	if (is_nan_f32(u))
		return f16_from_f32(u, mode);
	return bits_f16(fabs(r) < 0x1p-14 ? cut : kept, mode | 3 << MX_MODE_ROUND_F64);
}
VALU(v_cvt_pkrtz_f16_f32, PAIR(f16_toward_zero(A, x->mode), f16_toward_zero(B, x->mode)))
