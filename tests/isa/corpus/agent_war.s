; a buffer is written again after its reader has acknowledged, with its loads waited for
	group 1, 1f
	poll_agent 0, 1
	global_store_dword v6, v7, s[6:7]
	s_endpgm
1:	global_load_dword v3, v6, s[6:7]
	right s_waitcnt vmcnt(0)
	global_store_dword v10, v11, s[8:9] sc1
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
