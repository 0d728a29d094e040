; a work-item loads and stores the same dword
	global_load_b32 v3, v8, s[6:7]
	global_store_b32 v8, v7, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
