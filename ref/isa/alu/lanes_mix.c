/* Dot products of pairs, and fma of mixed formats [ISA 12.7, 12.10]. */
#include <fenv.h>

#include "float_bits.h"
#include "lane_macros.h"

/* ---- dot products: products and sums rounded one after another, in the manual's order, to nearest
 * even and with denormals flushed at each step (assumed; [ISA 6.4] names no steps). The last
 * operand is the accumulator. ---- */

static inline float flushed(float r) {
	uint32_t u = bits_f32(r, 0);
	return real_f32(magnitude_f32(u) < 0x800000 ? u & sign_f32 : u);
}
static inline float element_f16(uint32_t u) {
	return (float)real_f16(u & 0xffff);
}
static inline float element_bf16(uint32_t u) {
	return real_f32(u << 16);
}

/* The result r, or the first NaN of the two elements of a, the two of b, and c. */
#define FIRST_NAN(f)                                                                               \
	static inline uint32_t sum_##f(float r, uint32_t a, uint32_t b, uint32_t c) {              \
		uint32_t e[5] = { bits_f32(element_##f(a), 0), bits_f32(element_##f(a >> 16), 0),  \
			          bits_f32(element_##f(b), 0), bits_f32(element_##f(b >> 16), 0),  \
			          c };                                                             \
		uint32_t u = bits_f32(r, 0);                                                       \
		u = is_nan_f32(u) ? inf_f32 | quieted_f32(0) : u;                                  \
		for (int i = 4; i >= 0; i--)                                                       \
			u = is_nan_f32(e[i]) ? quieted_f32(e[i]) : u;                              \
		return u;                                                                          \
	}
FIRST_NAN(f16)
FIRST_NAN(bf16)

#define PRODUCT(f, shift) flushed(element_##f(A >> shift) * element_##f(B >> shift))
#define ADDEND            flushed(real_f32(C))
#define DOT(name, f, r)   VALU(name, D(sum_##f(r, A, B, C)))
DOT(v_dot2_f32_f16, f16, flushed(flushed(ADDEND + PRODUCT(f16, 0)) + PRODUCT(f16, 16)))
SAME(v_dot2c_f32_f16, v_dot2_f32_f16)
DOT(v_dot2_f32_bf16, bf16, flushed(flushed(PRODUCT(bf16, 0) + PRODUCT(bf16, 16)) + ADDEND))
DOT(v_dot2c_f32_bf16, bf16, flushed(flushed(ADDEND + PRODUCT(bf16, 0)) + PRODUCT(bf16, 16)))

/* ---- mixed fma: each source is an f32, or an f16 of either half. ABS has the bits of packed
 * math's second NEG [ISA 12.10] ---- */

static inline uint32_t widened(uint32_t u) {
	uint32_t nan = (u & 0x8000) << 16 | 0x7fc00000 | (u & 0x3ff) << 13;
	return is_nan_f16(u) ? nan : bits_f32((float)real_f16(u), 0);
}
static inline uint32_t mixed(const struct mx_lanes *x, unsigned i, unsigned l) {
	uint32_t u = x->s[i][0][l], half = x->op_sel >> i & 1 ? u >> 16 : u & 0xffff;
	bool keep32 = x->mode >> MX_MODE_DENORM_F32 & 1, keep16 = x->mode >> MX_MODE_DENORM_F64 & 1;
	half = !keep16 && magnitude_f16(half) < 0x400 ? half & sign_f16 : half;
	u = !keep32 && magnitude_f32(u) < 0x800000 ? u & sign_f32 : u;
	u = x->op_sel_hi >> i & 1 ? widened(half) : u;
	u = x->abs >> i & 1 ? magnitude_f32(u) : u;
	return x->neg >> i & 1 ? u ^ sign_f32 : u;
}
static inline uint32_t mix(const struct mx_lanes *x, unsigned l) {
	uint32_t a = mixed(x, 0, l), b = mixed(x, 1, l), c = mixed(x, 2, l);
	float r = fmaf(real_f32(a), real_f32(b), real_f32(c));
	return result_f32(bits_f32(r, 0), a, b, c);
}
VALU(v_fma_mix_f32, D(mix(x, l)))

/* To f16: the f32 result, rounded and flushed as MODE selects for f32, then rounded as MODE selects
 * for f16 [ISA 12.10: f32_to_f16 of the f32; LLVM selects it for that pair]. */
static void mix_to_f16(struct mx_lanes *x) {
	static const int host[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	int narrow = fegetround(), wide = host[x->mode >> MX_MODE_ROUND_F32 & 3];
	bool keep = x->mode >> MX_MODE_DENORM_F32 & 2;
	if (wide != narrow)
		fesetround(wide);
	for (unsigned l = 0; l < MX_LANES; l++)
		D(mix(x, l));
	if (wide != narrow)
		fesetround(narrow);
	for (unsigned l = 0; l < MX_LANES; l++) {
		float r = real_f32(x->d[0][l]);
		uint32_t nan = (x->d[0][l] >> 16 & 0x8000) | 0x7e00 | (x->d[0][l] >> 13 & 0x3ff);
		D(is_nan_f32(x->d[0][l]) ? nan : bits_f16(keep ? r : flushed(r), x->mode));
	}
}
LANE_FUNCTION(v_fma_mixlo_f16) {
	mix_to_f16(x);
}
SAME(v_fma_mixhi_f16, v_fma_mixlo_f16)
