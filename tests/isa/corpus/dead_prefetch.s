; the last iteration's prefetch lands on a register that the epilogue uses again [ISA 4.4]
	s_mov_b32 s28, 3
	v_mov_b32 v5, 0
	global_load_dword v3, v6, s[4:5]
1:	s_waitcnt vmcnt(0)
	v_xor_b32 v5, v5, v3
	global_load_dword v3, v6, s[4:5] offset:256
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	right s_waitcnt vmcnt(0)
	v_add_u32 v3, 9, v7
	v_xor_b32 v5, v5, v3
	out v5
