; wave 0 polls, and a barrier orders wave 1 after it; without the barrier nothing orders wave 1
	group 1, 1f
	global_store_dword v7, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	s_barrier
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 2f
	global_store_dword v10, v11, s[8:9] sc1
2:	s_endpgm
1:	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 2f
	poll_agent 0, 1
2:	right s_barrier
	buffer_inv sc1
	global_load_dword v3, v7, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
