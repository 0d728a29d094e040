/* f32 opcodes of the vector ALU [ISA 12.7 to 12.10]. */
#define FLOAT   f32
#define F(i)    (x->s[i][0][l])
#define R(bits) D(bits)
#include "float_lanes.h"

LANES(v_sub, SUM(-, 0, 1))
LANES(v_subrev, SUM(-, 1, 0))

SAME(v_fmac_f32, v_fma_f32)
SAME(v_fmamk_f32, v_fma_f32)
SAME(v_fmaak_f32, v_fma_f32)

/* 0 times any number is +0 [ISA 12.11]. */
static inline uint32_t product_dx9(uint32_t a, uint32_t b) {
	uint32_t r = result_f32(bits_f32(real_f32(a) * real_f32(b), 0), a, b, 0);
	return magnitude_f32(a) && magnitude_f32(b) ? r : 0;
}
static inline uint32_t sum(uint32_t a, uint32_t b) {
	return result_f32(bits_f32(real_f32(a) + real_f32(b), 0), a, b, 0);
}
static inline uint32_t product(uint32_t a, uint32_t b) {
	return result_f32(bits_f32(real_f32(a) * real_f32(b), 0), a, b, 0);
}
static inline uint32_t fma_of(uint32_t a, uint32_t b, uint32_t c) {
	return result_f32(bits_f32(fmaf(real_f32(a), real_f32(b), real_f32(c)), 0), a, b, c);
}
VALU(v_mul_legacy_f32, D(product_dx9(A, B)))
VALU(v_fma_dx9_zero_f32, D(real_f32(A) == 0 || real_f32(B) == 0 ? C : fma_of(A, B, C)))

/* The product, or the lowest number if either power is not above it, or is NaN [RDNA4's manual]. */
static inline uint32_t mullit(uint32_t a, uint32_t b, uint32_t c) {
	const uint32_t lowest = 0xff7fffff;
	bool dark = !(real_f32(b) > real_f32(lowest)) || !(real_f32(c) > 0);
	return dark ? lowest : product(a, b);
}
VALU(v_mullit_f32, D(mullit(A, B, C)))

VALU(v_min3_f32, D(least3_f32(A, B, C, ieee_f32(x))))
VALU(v_max3_f32, D(most3_f32(A, B, C, ieee_f32(x))))
VALU(v_med3_f32, D(median_f32(A, B, C, ieee_f32(x))))
VALU(v_minimum3_f32, D(minimum_f32(minimum_f32(A, B), C)))
VALU(v_maximum3_f32, D(maximum_f32(maximum_f32(A, B), C)))

/* ---- three numbers: gfx1250 ---- */

#define THREE(name, outer, inner)                                                                  \
	VALU(name, D(JOIN(outer, FLOAT)(JOIN(inner, FLOAT)(F(0), F(1)), F(2))))
THREE(v_min3_num_f32, min_num, min_num)
THREE(v_max3_num_f32, max_num, max_num)
THREE(v_minmax_num_f32, max_num, min_num)
THREE(v_maxmin_num_f32, min_num, max_num)
VALU(v_med3_num_f32, D(med3_num_f32(F(0), F(1), F(2))))
THREE(v_minimummaximum_f32, maximum, minimum)
THREE(v_maximumminimum_f32, minimum, maximum)

/* The product is exact in double. An exponent beyond f32's range is limited, with the same
 * result. */
static inline uint32_t scaled(uint32_t u, int32_t by, uint32_t mode) {
	int n = by < -400 ? -400 : by > 400 ? 400 : by;
	return result_f32(bits_f32((float)(real_f32(u) * power_of_2(n)), mode), u, 0, 0);
}
VALU(v_ldexp_f32, D(scaled(A, IB, x->mode)))
VALU(v_frexp_exp_i32_f32, D((uint32_t)exponent_f32(A)))

/* ---- cube maps: face, coordinates on it, twice the major axis [ISA 12.11] ---- */

static inline unsigned major_axis(uint32_t a, uint32_t b, uint32_t c) {
	float x = real_f32(magnitude_f32(a)), y = real_f32(magnitude_f32(b));
	float z = real_f32(magnitude_f32(c));
	return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}
static inline uint32_t cube(uint32_t a, uint32_t b, uint32_t c, const uint32_t of[3][2]) {
	const uint32_t v[3] = { a, b, c };
	unsigned axis = major_axis(a, b, c);
	return of[axis][real_f32(v[axis]) < 0];
}
#define MINUS(u) ((u) ^ sign_f32)
#define CUBE(name, ...)                                                                            \
	VALU(name, uint32_t of[3][2] = __VA_ARGS__; D(cube(A, B, C, (const uint32_t(*)[2])of)))
#define FACE(n) bits_f32(n, 0)
CUBE(v_cubeid_f32, { { FACE(0), FACE(1) }, { FACE(2), FACE(3) }, { FACE(4), FACE(5) } })
CUBE(v_cubesc_f32, { { MINUS(C), C }, { A, A }, { A, MINUS(A) } })
CUBE(v_cubetc_f32, { { MINUS(B), MINUS(B) }, { C, MINUS(C) }, { MINUS(B), MINUS(B) } })
#define TWICE(u) result_f32(bits_f32(real_f32(u) + real_f32(u), 0), u, 0, 0)
CUBE(v_cubema_f32, { { TWICE(A), TWICE(A) }, { TWICE(B), TWICE(B) }, { TWICE(C), TWICE(C) } })

/* ---- packed: two dwords ---- */

#define PACKED(name, element)                                                                      \
	LANE_FUNCTION(name) {                                                                      \
		for (unsigned e = 0; e < 2; e++)                                                   \
			for (unsigned l = 0; l < MX_LANES; l++)                                    \
				x->d[e][l] = element;                                              \
	}
#define E(i) x->s[i][e][l]
PACKED(v_pk_add_f32, sum(E(0), E(1)))
PACKED(v_pk_mul_f32, product(E(0), E(1)))
PACKED(v_pk_fma_f32, fma_of(E(0), E(1), E(2)))
