/* Kernels for mxcheck probe --assumptions that lack wait states, one for a row of hazards.def that
 * waits.def has a program for: mxcheck lint has a finding or a note for each. A workgroup is one
 * wave. It computes the two instructions with wait states and without; a lane's result is 0 if all
 * registers agree. Its operands are the 20 registers that rules_device.c lists. */
#include "registers.h"

enum { LANES = 64, REGISTERS = 20 + 1 };

#define IDLE "s_nop 15\n\ts_nop 15\n\t"
#define ALL  "s_waitcnt vmcnt(0) lgkmcnt(0)\n\t"

/* See waits.def. */
#define PREPARE                                                                                    \
	"v_mbcnt_lo_u32_b32 v62, -1, 0\n\t"                                                        \
	"v_mbcnt_hi_u32_b32 v62, -1, v62\n\t"                                                      \
	"v_lshlrev_b32 v61, 4, v62\n\t"                                                            \
	"v_add_u32 v61, 0x1000, v61\n\t"                                                           \
	"v_lshlrev_b32 v62, 2, v62\n\t"                                                            \
	"v_mov_b32 v63, 256\n\t"                                                                   \
	".set n, 0\n\t"                                                                            \
	".rept 16\n\t"                                                                             \
	"buffer_load_dword v[64 + n], v62, %1, 0 offen offset:256 * n\n\t"                         \
	".set n, n + 1\n\t"                                                                        \
	".endr\n\t" ALL ".set n, 0\n\t"                                                            \
	".rept 16\n\t"                                                                             \
	"v_mov_b32 v[80 + n], v[64 + n]\n\t"                                                       \
	".set n, n + 1\n\t"                                                                        \
	".endr\n\t"                                                                                \
	"v_mov_b32 v91, 128\n\t"                                                                   \
	"ds_write_b32 v62, v64\n\t"                                                                \
	"ds_write_b32 v62, v65 offset:256\n\t"                                                     \
	"ds_write_b32 v62, v66 offset:512\n\t" ALL "s_mov_b32 s40, 1\n\t"                          \
	"s_mov_b32 s41, 0\n\t"                                                                     \
	"s_mov_b32 s42, 2\n\t"                                                                     \
	"s_mov_b32 s43, 3\n\t"                                                                     \
	"s_mov_b32 s44, 4\n\t"                                                                     \
	"s_mov_b32 m0, 0\n\t"                                                                      \
	"s_mov_b64 vcc, 0\n\t" IDLE

#define COMPUTE(first, between, second, after)                                                     \
	PREPARE first "\n\t" between second "\n\t" ALL IDLE "s_mov_b64 exec, -1\n\t" IDLE after    \
		      "\n\t" ALL IDLE

/* Without wait states. */
#ifndef UNPADDED
#define UNPADDED(first, second, after) COMPUTE(first, "", second, after)
#endif

#define KEEP                                                                                       \
	".set n, 0\n\t"                                                                            \
	".rept 32\n\t"                                                                             \
	"v_mov_b32 v[96 + n], v[64 + n]\n\t"                                                       \
	".set n, n + 1\n\t"                                                                        \
	".endr\n\t"

#define COMPARE                                                                                    \
	"v_mov_b32 %0, 0\n\t"                                                                      \
	".set n, 0\n\t"                                                                            \
	".rept 32\n\t"                                                                             \
	"v_xor_b32 v[64 + n], v[64 + n], v[96 + n]\n\t"                                            \
	"v_or_b32 %0, %0, v[64 + n]\n\t"                                                           \
	".set n, n + 1\n\t"                                                                        \
	".endr"

#define TEN(n)                                                                                     \
	"v" #n "0", "v" #n "1", "v" #n "2", "v" #n "3", "v" #n "4", "v" #n "5", "v" #n "6",        \
		"v" #n "7", "v" #n "8", "v" #n "9"
#define CLOBBERS                                                                                   \
	"v61", "v62", "v63", "v64", "v65", "v66", "v67", "v68", "v69", TEN(7), TEN(8), TEN(9),     \
		TEN(10), TEN(11), "v120", "v121", "v122", "v123", "v124", "v125", "v126", "v127",  \
		"s40", "s41", "s42", "s43", "s44", "vcc", "scc", "memory"

#define MX_NO_WAIT(...)
#define MX_WAIT(...) PROGRAM(__VA_ARGS__)
#define PROGRAM(one, one_operand, two, two_operand, condition, first, second, after)               \
	KERNEL(LANES)                                                                              \
	void wait_##one##_##one_operand##_##two##_##two_operand##_##condition(                     \
		GLOBAL u32 *in, GLOBAL u32 *out, u32 mode, u32 records, u32 word3, u32 scalar) {   \
		u32 wave = __builtin_amdgcn_workgroup_id_x(), differ;                              \
		u64 base = (u64)(in + wave * REGISTERS * LANES);                                   \
		u32x4 buffer = { (u32)base, (u32)(base >> 32), records, word3 };                   \
		(void)mode, (void)scalar;                                                          \
		asm volatile(COMPUTE(first, IDLE, second, after)                                   \
		                     KEEP UNPADDED(first, second, after) COMPARE                   \
		             : "=&v"(differ)                                                       \
		             : "s"(buffer), "s"(base)                                              \
		             : CLOBBERS);                                                          \
		out[wave * LANES + LANE()] = differ;                                               \
	}
#include "waits.def"
