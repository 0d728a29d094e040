; a look-back: 1 is the sum of one tile, 2 that of all tiles before it, whose data come later
	group 1, 1f
	v_mov_b32 v14, 2
	global_store_dword v6, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v10, v11, s[8:9] sc1
	global_store_dword v6, v7, s[6:7] offset:256
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v10, v14, s[8:9] sc1
	s_endpgm
1:	poll_agent 0, 1
	buffer_inv sc1
	right s_cmp_eq_u32 s30, 2
	wrong s_cmp_ge_u32 s30, 1
	s_cbranch_scc1 2f
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	out v3
	s_endpgm
2:	global_load_dword v3, v6, s[6:7] offset:256
	s_waitcnt vmcnt(0)
	out v3
