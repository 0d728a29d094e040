/* The kernels of questions.def. A workgroup is one wave. Its operands are
 * [workgroup][register][lane], registers in the order a, b, c, d; the results are d. */
#ifndef QUESTION_H
#define QUESTION_H

#include "registers.h"

enum { LANES = 64 };

/* n registers, as an operand and one by one. */
#define OPERAND(x, n)                                                                              \
	union {                                                                                    \
		REGS(n) all;                                                                       \
		u32 r[n];                                                                          \
	} x
#define LOAD(x, n, first)                                                                          \
	for (u32 i = 0; i < (n); i++)                                                              \
	x.r[i] = in[((first) + i) * LANES + LANE()]

/* The nops are wait states for all that the text may hold: the compiler does not see it. CLOBBERS
 * are the registers that texts name. */
#define QUESTION(name, n_d, n_a, n_b, n_c, text)                                                   \
	KERNEL(LANES)                                                                              \
	void name(GLOBAL u32 *in, GLOBAL u32 *out, u32 mode, u32 records, u32 word3, u32 scalar) { \
		u32 wave = __builtin_amdgcn_workgroup_id_x();                                      \
		OPERAND(a, n_a);                                                                   \
		OPERAND(b, n_b);                                                                   \
		OPERAND(c, n_c);                                                                   \
		OPERAND(d, n_d);                                                                   \
		in += wave * ((n_a) + (n_b) + (n_c) + (n_d)) * LANES;                              \
		out += wave * (n_d)*LANES;                                                         \
		LOAD(a, n_a, 0);                                                                   \
		LOAD(b, n_b, n_a);                                                                 \
		LOAD(c, n_c, (n_a) + (n_b));                                                       \
		LOAD(d, n_d, (n_a) + (n_b) + (n_c));                                               \
		u64 base = (u64)(in + ((n_a) + (n_b)) * LANES);                                    \
		u32x4 buffer = { (u32)base, (u32)(base >> 32), records, word3 };                   \
		u32 old;                                                                           \
		asm volatile("s_getreg_b32 %6, hwreg(HW_REG_MODE, 0, 8)\n\t"                       \
		             "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), %7\n\ts_nop 7\n\t" text       \
		             "\n\ts_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_nop 15\n\ts_nop 15\n\t"       \
		             "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), %6\n\ts_nop 7"                \
		             : "+&v"(d.all), "+&v"(a.all), "+&v"(b.all), "+&v"(c.all),             \
		               "+&s"(buffer), "+&s"(scalar), "=&s"(old)                            \
		             : "s"(mode)                                                           \
		             : "memory", "vcc", CLOBBERS);                                         \
		for (u32 i = 0; i < (n_d); i++)                                                    \
			out[i * LANES + LANE()] = d.r[i];                                          \
	}

#endif
