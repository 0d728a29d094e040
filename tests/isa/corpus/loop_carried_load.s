; double-buffered registers: vmcnt(1) covers the older load, vmcnt(2) does not [ISA 4.4]
	v_mov_b32 v5, 0
	s_mov_b32 s28, 4
	v_mov_b32 v12, v6
	global_load_dword v3, v12, s[4:5]
	global_load_dword v4, v12, s[4:5] offset:256
1:	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	v_xor_b32 v5, v5, v3
	global_load_dword v3, v12, s[4:5] offset:512
	s_waitcnt vmcnt(1)
	v_xor_b32 v5, v5, v4
	global_load_dword v4, v12, s[4:5] offset:768
	v_add_u32 v12, 0x200, v12
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	s_waitcnt vmcnt(0)
	out v5
