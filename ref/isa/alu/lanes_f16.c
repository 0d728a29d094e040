/* f16 opcodes of the vector ALU, single and packed [ISA 12.7 to 12.11]. */
#define FLOAT   f16
#define F(i)    (x->s[i][0][l] & 0xffff)
#define R(bits) D(bits)
#include "float_lanes.h"

LANES(v_sub, SUM(-, 0, 1))
LANES(v_subrev, SUM(-, 1, 0))
SAME(v_fma_legacy_f16, v_fma_f16)

/* Rounded twice, denormals flushed each time. If MODE flushes, LLVM selects these for ISD::FMAD, a
 * multiplication followed by an addition. v_mad_f16 flushes in any MODE [ISA 12.11]. */
static inline uint32_t flushed(uint32_t u) {
	return magnitude_f16(u) < 0x400 ? u & sign_f16 : u;
}
static inline uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
	uint32_t p = flushed(bits_f16(real_f16(a) * real_f16(b), mode));
	return result_f16(bits_f16(real_f16(p) + real_f16(c), mode), a, b, c);
}
VALU(v_mad_f16, D(multiply_add(F(0), F(1), F(2), x->mode)))

/* No source defines the other opcodes if MODE keeps denormals: assumed as v_mad_f16. */
static inline uint32_t flushing_mad(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
	return flushed(multiply_add(flushed(a), flushed(b), flushed(c), mode));
}
static inline bool is_denormal(uint32_t u) {
	return flushed(u) != u;
}
static inline bool meets_denormals(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
	uint32_t product = bits_f16(real_f16(a) * real_f16(b), mode);
	return mode >> MX_MODE_DENORM_F64 & 3 &&
	       (is_denormal(a) || is_denormal(b) || is_denormal(c) || is_denormal(product) ||
	        is_denormal(multiply_add(a, b, c, mode)));
}
VALU(v_mad_legacy_f16, D(flushing_mad(F(0), F(1), F(2), x->mode));
     ASSUME_IF(meets_denormals(F(0), F(1), F(2), x->mode), MAD_DENORMAL))
SAME(v_mac_f16, v_mad_legacy_f16)
SAME(v_madmk_f16, v_mad_legacy_f16)
SAME(v_madak_f16, v_mad_legacy_f16)

VALU(v_min3_f16, D(least3_f16(F(0), F(1), F(2), ieee_f16(x))))
VALU(v_max3_f16, D(most3_f16(F(0), F(1), F(2), ieee_f16(x))))
VALU(v_med3_f16, D(median_f16(F(0), F(1), F(2), ieee_f16(x))))

/* ---- three numbers: gfx1250 ---- */

#define THREE(name, outer, inner)                                                                  \
	VALU(name, D(JOIN(outer, FLOAT)(JOIN(inner, FLOAT)(F(0), F(1)), F(2))))
THREE(v_min3_num_f16, min_num, min_num)
THREE(v_max3_num_f16, max_num, max_num)
THREE(v_minmax_num_f16, max_num, min_num)
THREE(v_maxmin_num_f16, min_num, max_num)
VALU(v_med3_num_f16, D(med3_num_f16(F(0), F(1), F(2))))
THREE(v_minimummaximum_f16, maximum, minimum)
THREE(v_maximumminimum_f16, minimum, maximum)
THREE(v_minimum3_f16, minimum, minimum)
THREE(v_maximum3_f16, maximum, maximum)
SAME(v_fmac_f16, v_fma_f16)
SAME(v_fmamk_f16, v_fma_f16)
SAME(v_fmaak_f16, v_fma_f16)

/* The product is exact in double. An exponent beyond f16's range is limited, with the same
 * result. */
static inline uint32_t scaled(uint32_t u, int16_t by, uint32_t mode) {
	int n = by < -100 ? -100 : by > 100 ? 100 : by;
	return result_f16(bits_f16(real_f16(u) * power_of_2(n), mode), u, 0, 0);
}
VALU(v_ldexp_f16, D(scaled(F(0), (int16_t)B, x->mode)))
VALU(v_frexp_exp_i16_f16, D((uint32_t)exponent_f16(F(0))))

/* ---- packed ---- */

static inline uint32_t sum(uint32_t a, uint32_t b, uint32_t mode) {
	return result_f16(bits_f16(real_f16(a) + real_f16(b), mode), a, b, 0);
}
static inline uint32_t product(uint32_t a, uint32_t b, uint32_t mode) {
	return result_f16(bits_f16(real_f16(a) * real_f16(b), mode), a, b, 0);
}
static inline uint32_t fma_of(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
	double r = fused_f16(real_f16(a), real_f16(b), real_f16(c), mode);
	return result_f16(bits_f16(r, mode), a, b, c);
}

#define LO(i) (x->s[i][0][l] & 0xffff)
#define HI(i) (x->s[i][0][l] >> 16)
#define PACKED2(name, f, how)                                                                      \
	VALU(v_pk_##name##_f16, D(f(LO(0), LO(1), how) | f(HI(0), HI(1), how) << 16))
#define PACKED3(name, f)                                                                           \
	VALU(v_pk_##name##_f16,                                                                    \
	     D(f(LO(0), LO(1), LO(2), x->mode) | f(HI(0), HI(1), HI(2), x->mode) << 16))
PACKED2(add, sum, x->mode)
PACKED2(mul, product, x->mode)
PACKED2(min, least_f16, ieee_f16(x))
PACKED2(max, most_f16, ieee_f16(x))
PACKED3(fma, fma_of)
SAME(v_pk_fmac_f16, v_pk_fma_f16)
#define NESTED(f, a, b, c, mode) f(f(a, b), c)
#define MINIMUM3(...)            NESTED(minimum_f16, __VA_ARGS__)
#define MAXIMUM3(...)            NESTED(maximum_f16, __VA_ARGS__)
PACKED3(minimum3, MINIMUM3)
PACKED3(maximum3, MAXIMUM3)
#define MIN_NUM(a, b, mode) min_num_f16(a, b)
#define MAX_NUM(a, b, mode) max_num_f16(a, b)
#define MINIMUM(a, b, mode) minimum_f16(a, b)
#define MAXIMUM(a, b, mode) maximum_f16(a, b)
#define MIN3_NUM(...)       NESTED(min_num_f16, __VA_ARGS__)
#define MAX3_NUM(...)       NESTED(max_num_f16, __VA_ARGS__)
PACKED2(min_num, MIN_NUM, x->mode)
PACKED2(max_num, MAX_NUM, x->mode)
PACKED2(minimum, MINIMUM, x->mode)
PACKED2(maximum, MAXIMUM, x->mode)
PACKED3(min3_num, MIN3_NUM)
PACKED3(max3_num, MAX3_NUM)
