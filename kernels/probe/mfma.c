/* One matrix instruction in each kernel, for mxcheck probe. A workgroup is one wave and executes it
 * once. Operands are [workgroup][register][lane]; scales are byte 0 of [workgroup][lane]. */
#include "registers.h"

enum { F16 = 16, BF16 = 16, FP8 = 8, BF8 = 8, I8 = 8, F32 = 32, F64 = 64, I32 = 32, LANES = 64 };
enum { REGS_E4M3 = 8, REGS_E5M2 = 8, REGS_E2M3 = 6, REGS_E3M2 = 6, REGS_E2M1 = 4 };

#define LOAD(x, from, n)                                                                           \
	for (u32 r = 0; r < (n); r++)                                                              \
	((u32 *)&(x))[r] = (from)[((n)*__builtin_amdgcn_workgroup_id_x() + r) * LANES + LANE()]

/* Wait states: the compiler does not see the MFMA. 19 are enough for the longest [ISA 7.6]. */
#define INSTRUCTION(name, n_a, n_b, n_d, text)                                                     \
	KERNEL(LANES)                                                                              \
	void name(const GLOBAL u32 *a, const GLOBAL u32 *b, const GLOBAL u32 *c,                   \
	          const GLOBAL u32 *scale_a, const GLOBAL u32 *scale_b, GLOBAL u32 *d) {           \
		u32 at = __builtin_amdgcn_workgroup_id_x() * LANES + LANE();                       \
		u32 sa = scale_a[at], sb = scale_b[at];                                            \
		REGS(n_a) x;                                                                       \
		REGS(n_b) y;                                                                       \
		REGS(n_d) z;                                                                       \
		LOAD(x, a, n_a);                                                                   \
		LOAD(y, b, n_b);                                                                   \
		LOAD(z, c, n_d);                                                                   \
		asm volatile("s_nop 7\n\t" text "\n\ts_nop 15\n\ts_nop 15"                         \
		             : "+v"(z)                                                             \
		             : "v"(x), "v"(y), "v"(sa), "v"(sb));                                  \
		for (u32 r = 0; r < (n_d); r++)                                                    \
			d[((n_d)*__builtin_amdgcn_workgroup_id_x() + r) * LANES + LANE()] =        \
				((u32 *)&z)[r];                                                    \
	}

/* ---- dense ---- */

#define OPERAND(m, k, blocks, type) ((m) * (k) * (blocks) / LANES * (type) / 32)
#define MX_DENSE(id, m, k, blocks, a, b, d)                                                        \
	INSTRUCTION(v_mfma_##id, OPERAND(m, k, blocks, a), OPERAND(m, k, blocks, b),               \
	            OPERAND(m, m, blocks, d), "v_mfma_" #id " %0, %1, %2, %0")
#include "../../ref/mma/dense.def"

/* ---- sparse: the index is in the place of A's scales ---- */

#define MX_SPARSE(id, m, k, a, b, d)                                                               \
	INSTRUCTION(v_smfmac_##id, OPERAND(m, k, 1, a) / 2, OPERAND(m, k, 1, b),                   \
	            OPERAND(m, m, 1, d), "v_smfmac_" #id " %0, %1, %2, %3")
#include "../../ref/mma/sparse.def"

/* ---- scaled ---- */

#define SCALED(shape, fa, cbsz, fb, blgp)                                                          \
	INSTRUCTION(v_mfma_scale_f32_##shape##_f8f6f4_##fa##_##fb, REGS_##fa, REGS_##fb,           \
	            D_##shape,                                                                     \
	            "v_mfma_scale_f32_" #shape "_f8f6f4 %0, %1, %2, %0, %3, %4 op_sel_hi:[0,0,0] " \
	            "cbsz:" #cbsz " blgp:" #blgp)
#define MX_FORMAT(fa, bits, exp, man, bias, specials, cbsz)                                        \
	SCALED(16x16x128, fa, cbsz, E4M3, 0)                                                       \
	SCALED(16x16x128, fa, cbsz, E5M2, 1)                                                       \
	SCALED(16x16x128, fa, cbsz, E2M3, 2)                                                       \
	SCALED(16x16x128, fa, cbsz, E3M2, 3)                                                       \
	SCALED(16x16x128, fa, cbsz, E2M1, 4)                                                       \
	SCALED(32x32x64, fa, cbsz, E4M3, 0)                                                        \
	SCALED(32x32x64, fa, cbsz, E5M2, 1)                                                        \
	SCALED(32x32x64, fa, cbsz, E2M3, 2)                                                        \
	SCALED(32x32x64, fa, cbsz, E3M2, 3)                                                        \
	SCALED(32x32x64, fa, cbsz, E2M1, 4)
enum { D_16x16x128 = 4, D_32x32x64 = 16 };
#include "../../ref/num/formats.def"
