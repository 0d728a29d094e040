; Counts down, and stores what is left: OUT gets 0. Arguments: OUT, the count.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl counts
	.p2align 8
	.type counts,@function
counts:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_load_dword s6, s[0:1], 0x8
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
next:
	s_sub_u32 s6, s6, 1
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 next
	v_mov_b32_e32 v1, s6
	global_store_dword v0, v1, s[4:5]
	s_endpgm

	.include "tests/ci/kernel.inc"
	kernel counts, 0, 12
