; without buffer_inv sc1 the consumer may read its stale L1 or L2 [LLVM gfx942]
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v10, v11, s[8:9] sc1
	s_endpgm
1:	global_load_dword v4, v6, s[6:7] offset:256
	poll_agent 0, 1
	right buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
