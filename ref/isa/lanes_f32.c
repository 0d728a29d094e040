/* f32 opcodes of the vector ALU [ISA 12.7 to 12.10].
 *
 * Add, multiply and fma are IEEE 754 operations rounded to nearest-even, which is what
 * the host's are; the executor has checked that MODE asks for that. A NaN result is made
 * by us, since hosts differ from gfx950: the first NaN source, quiet, or 0x7FC00000
 * (assumed; the manual does not say which). */
#include <math.h>
#include <string.h>

#include "lane_macros.h"

static inline float as_f32(uint32_t u) {
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static inline uint32_t as_u32(float f) {
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static inline uint32_t is_nan(uint32_t u) {
	return (u & 0x7fffffff) > 0x7f800000;
}

static inline uint32_t result(float r, uint32_t a, uint32_t b, uint32_t c) {
	uint32_t u = as_u32(r), quiet = 0x400000;
	u = is_nan(u) ? 0x7fc00000 : u;
	u = is_nan(c) ? c | quiet : u;
	u = is_nan(b) ? b | quiet : u;
	return is_nan(a) ? a | quiet : u;
}
VALU(v_add_f32, D(result(as_f32(A) + as_f32(B), A, B, 0)))
VALU(v_sub_f32, D(result(as_f32(A) - as_f32(B), A, B, 0)))
VALU(v_subrev_f32, D(result(as_f32(B) - as_f32(A), A, B, 0)))
VALU(v_mul_f32, D(result(as_f32(A) * as_f32(B), A, B, 0)))
VALU(v_fma_f32, D(result(fmaf(as_f32(A), as_f32(B), as_f32(C)), A, B, C)))
VALU(v_fmac_f32, D(result(fmaf(as_f32(A), as_f32(B), as_f32(C)), A, B, C)))
VALU(v_cvt_f32_i32, D(as_u32((float)IA)))
VALU(v_cvt_f32_u32, D(as_u32((float)A)))

/* Toward zero; out of range clamps, NaN gives 0. */
static inline uint32_t to_u32(uint32_t u) {
	float f = as_f32(u);
	return !(f > -1.0f) ? 0 : f >= 4294967296.0f ? ~0u : (uint32_t)(int64_t)f;
}
static inline uint32_t to_i32(uint32_t u) {
	float f = as_f32(u);
	return f != f                ? 0
	       : f >= 2147483648.0f  ? 0x7fffffff
	       : f <= -2147483648.0f ? 0x80000000
	                             : (uint32_t)(int32_t)f;
}
VALU(v_cvt_u32_f32, D(to_u32(A)))
VALU(v_cvt_i32_f32, D(to_i32(A)))

/* ---- comparisons ---- */

#define FA as_f32(A)
#define FB as_f32(B)
COMPARE(f_f32, 0)
COMPARE(lt_f32, FA < FB)
COMPARE(eq_f32, FA == FB)
COMPARE(le_f32, FA <= FB)
COMPARE(gt_f32, FA > FB)
COMPARE(lg_f32, FA<FB || FA> FB)
COMPARE(ge_f32, FA >= FB)
COMPARE(o_f32, !is_nan(A) && !is_nan(B))
COMPARE(u_f32, is_nan(A) || is_nan(B))
COMPARE(nge_f32, !(FA >= FB))
COMPARE(nlg_f32, !(FA < FB || FA > FB))
COMPARE(ngt_f32, !(FA > FB))
COMPARE(nle_f32, !(FA <= FB))
COMPARE(neq_f32, !(FA == FB))
COMPARE(nlt_f32, !(FA < FB))
COMPARE(tru_f32, 1)
