; a loop with 64 loads in flight and no wait: the load that fills vmcnt cannot issue before the one 63 before it has returned [ISA table 2, 4.4]
	v_mov_b32 v5, 0
	s_mov_b32 s28, 4
	.macro half first
	.set n, 0
	.rept 32
	global_load_dword v[\first+n], v6, s[4:5] offset:4*n
	.set n, n+1
	.endr
	.endm
	half 52
1:	half 20
	right v_xor_b32 v5, v5, v52
	wrong v_xor_b32 v5, v5, v53
	half 52
	v_xor_b32 v5, v5, v20
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	s_waitcnt vmcnt(0)
	out v5
	.purgem half
