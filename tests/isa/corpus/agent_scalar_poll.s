; a flag that scalar loads poll: 1 comes before the data, 2 after them
	group 1, 1f
	v_mov_b32 v14, 2
	global_store_dword v10, v11, s[8:9] sc1
	global_store_dword v6, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v10, v14, s[8:9] sc1
	s_endpgm
1:	s_dcache_inv
	s_load_dword s30, s[8:9], 0
	s_waitcnt lgkmcnt(0)
	right s_cmp_lt_u32 s30, 2
	wrong s_cmp_lt_u32 s30, 1
	s_cbranch_scc1 1b
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	out v3
