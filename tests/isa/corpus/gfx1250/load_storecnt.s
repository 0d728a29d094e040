; storecnt 0 says nothing of a load
	global_store_b32 v8, v7, s[6:7] offset:1024
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	wrong s_wait_storecnt 0
	out v3
