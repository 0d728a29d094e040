; a store after the load does not count in loadcnt: loadcnt 1 waits for nothing
	global_load_b32 v3, v6, s[4:5]
	global_store_b32 v8, v7, s[6:7] offset:1024
	right s_wait_loadcnt 0
	wrong s_wait_loadcnt 1
	out v3
