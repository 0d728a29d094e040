; non-temporal stores need the same wait before the flag
	group 1, 1f
	global_store_dword v6, v7, s[6:7] nt
	buffer_wbl2 sc1
	right s_waitcnt vmcnt(0)
	global_store_dword v10, v11, s[8:9] nt sc1
	s_endpgm
1:	poll_agent 0, 1
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7] nt
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
