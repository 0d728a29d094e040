; release at device scope: global_wb and storecnt 0 before the flag [LLVM gfx12]
	group 1, 1f
	global_store_b32 v6, v7, s[6:7]
	global_wb scope:SCOPE_DEV
	right s_wait_storecnt 0
	global_store_b32 v10, v11, s[8:9] scope:SCOPE_DEV
	s_endpgm
1:	poll_agent 0, 1
	global_inv scope:SCOPE_DEV
	s_wait_loadcnt 0
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7]
