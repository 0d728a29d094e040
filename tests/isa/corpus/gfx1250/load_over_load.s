; loads of two counters into one register
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	ds_load_b32 v3, v6
	s_wait_loadcnt 0
	s_wait_dscnt 0
	out v3
