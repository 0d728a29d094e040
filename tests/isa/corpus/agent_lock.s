; a lock of agent scope is given back after the stores under it have landed
1:	v_mov_b32 v14, 1
	v_mov_b32 v15, 0
	s_mov_b64 exec, 1
2:	global_atomic_cmpswap v13, v10, v[14:15], s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 2b
	s_mov_b64 exec, -1
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32 v3, 1, v3
	global_store_dword v6, v3, s[6:7]
	buffer_wbl2 sc1
	right s_waitcnt vmcnt(0)
	global_store_dword v10, v10, s[8:9] sc1
