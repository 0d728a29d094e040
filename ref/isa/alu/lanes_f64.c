/* f64 opcodes of the vector ALU [ISA 12.7 to 12.10]. */
#define FLOAT   f64
#define F(i)    WIDE(i)
#define R(bits) D64(bits)
#include "float_lanes.h"

SAME(v_fmac_f64, v_fma_f64)
SAME(v_fmamk_f64, v_fma_f64)
SAME(v_fmaak_f64, v_fma_f64)

/* The host's scalbn rounds once. */
static inline uint64_t scaled(uint64_t u, int32_t by, uint32_t mode) {
	return result_f64(bits_f64(scalbn(real_f64(u), by), mode), u, 0, 0);
}
VALU(v_ldexp_f64, D64(scaled(WIDE(0), (int32_t)B, x->mode)))
VALU(v_frexp_exp_i32_f64, D((uint32_t)exponent_f64(WIDE(0))))
