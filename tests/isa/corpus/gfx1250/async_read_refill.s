; a read in flight meets the next copy
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	s_wait_asynccnt 0
	v_add_nc_u32 v12, 64, v6
	ds_load_b32 v3, v6
	right s_wait_dscnt 0
	global_load_async_to_lds_b32 v6, v12, s[4:5]
	s_wait_dscnt 0
	s_wait_asynccnt 0
	out v3
