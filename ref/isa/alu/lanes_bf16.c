/* bf16 opcodes of the vector ALU, packed, and fma of f32 with bf16 [LLVM; the rules are those of
 * the same opcodes of f16]. MODE's fields of f32 apply (assumed). */
#include <fenv.h>

#include "float_bits.h"
#include "lane_macros.h"

/* A NaN source is the result, made quiet. */
static inline uint32_t rounded(double r, uint32_t a, uint32_t b, uint32_t c) {
	return result_bf16(isnan(r) ? 0x7fc0 : bits_bf16(r), a, b, c);
}

static inline bool is_nearest(const struct mx_lanes *x) {
	return !(x->mode >> MX_MODE_ROUND_F32 & 3);
}

#define LO(i)         (x->s[i][0][l] & 0xffff)
#define HI(i)         (x->s[i][0][l] >> 16)
#define SUM(a, b)     rounded(sum_to_odd(real_bf16(a), real_bf16(b), is_nearest(x)), a, b, 0)
#define PRODUCT(a, b) rounded(real_bf16(a) * real_bf16(b), a, b, 0)
#define FMA(a, b, c)                                                                               \
	rounded(sum_to_odd(real_bf16(a) * real_bf16(b), real_bf16(c), is_nearest(x)), a, b, c)
VALU(v_pk_add_bf16, D(SUM(LO(0), LO(1)) | SUM(HI(0), HI(1)) << 16))
VALU(v_pk_mul_bf16, D(PRODUCT(LO(0), LO(1)) | PRODUCT(HI(0), HI(1)) << 16))
VALU(v_pk_fma_bf16, D(FMA(LO(0), LO(1), LO(2)) | FMA(HI(0), HI(1), HI(2)) << 16))

/* IEEE 754's minimumNumber and maximumNumber: NaN only if both are. */
static inline uint32_t extreme(uint32_t a, uint32_t b, bool most) {
	bool nan_a = is_nan_f32(a << 16), nan_b = is_nan_f32(b << 16);
	bool less = key_f32(a << 16) < key_f32(b << 16);
	if (nan_a || nan_b)
		return !nan_a ? a : !nan_b ? b : a | 0x40;
	return less != most ? a : b;
}
VALU(v_pk_min_num_bf16, D(extreme(LO(0), LO(1), false) | extreme(HI(0), HI(1), false) << 16))
VALU(v_pk_max_num_bf16, D(extreme(LO(0), LO(1), true) | extreme(HI(0), HI(1), true) << 16))

/* ---- mixed fma: each source is an f32, or a bf16 of either half ---- */

static inline uint32_t mixed(const struct mx_lanes *x, unsigned i, unsigned l) {
	uint32_t u = x->s[i][0][l];
	u = !(x->op_sel_hi >> i & 1) ? u : x->op_sel >> i & 1 ? u & 0xffff0000 : u << 16;
	bool flush = !(x->mode >> MX_MODE_DENORM_F32 & 1) && magnitude_f32(u) < 0x800000;
	u = flush ? u & sign_f32 : u;
	u = x->abs >> i & 1 ? magnitude_f32(u) : u;
	return x->neg >> i & 1 ? u ^ sign_f32 : u;
}
static inline uint32_t mix(const struct mx_lanes *x, unsigned l) {
	uint32_t a = mixed(x, 0, l), b = mixed(x, 1, l), c = mixed(x, 2, l);
	return result_f32(bits_f32(fmaf(real_f32(a), real_f32(b), real_f32(c)), 0), a, b, c);
}
VALU(v_fma_mix_f32_bf16, D(mix(x, l)))

/* To bf16: the f32 result, rounded again. */
static inline uint32_t narrowed(uint32_t u) {
	return is_nan_f32(u) ? u >> 16 | 0x40 : bits_bf16(real_f32(u));
}
VALU(v_fma_mixlo_bf16, D(narrowed(mix(x, l))))
SAME(v_fma_mixhi_bf16, v_fma_mixlo_bf16)
