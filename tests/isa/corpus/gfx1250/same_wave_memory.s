; a work-item's own accesses to an address stay in order
	global_store_b32 v8, v7, s[6:7]
	global_load_b32 v3, v8, s[6:7]
	s_wait_loadcnt 0
	v_add_nc_u32 v3, v3, v11
	out v3
