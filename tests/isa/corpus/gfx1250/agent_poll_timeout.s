; a poll that gives up after three looks: the data may be read only where the flag was set
	group 1, 1f
	global_store_b32 v6, v7, s[6:7]
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0
	global_store_b32 v10, v11, s[8:9] scope:SCOPE_DEV
	s_endpgm
1:	s_mov_b32 s31, 3
2:	global_load_b32 v13, v10, s[8:9] scope:SCOPE_DEV
	s_wait_loadcnt 0
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 1
	s_cbranch_scc1 3f
	s_sub_co_u32 s31, s31, 1
	s_cmp_lg_u32 s31, 0
	s_cbranch_scc1 2b
	right s_endpgm
3:	global_inv scope:SCOPE_DEV
	s_wait_loadcnt 0
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7]
