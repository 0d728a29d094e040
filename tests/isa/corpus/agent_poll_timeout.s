; a poll that gives up after three looks: the data may be read only where the flag was set
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v10, v11, s[8:9] sc1
	s_endpgm
1:	s_mov_b32 s31, 3
2:	global_load_dword v13, v10, s[8:9] sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 1
	s_cbranch_scc1 3f
	s_sub_u32 s31, s31, 1
	s_cmp_lg_u32 s31, 0
	s_cbranch_scc1 2b
	right s_endpgm
3:	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
