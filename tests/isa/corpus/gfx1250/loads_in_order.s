; loads return in order: loadcnt 1 covers the first of two
	global_load_b32 v3, v6, s[4:5]
	global_load_b32 v4, v6, s[4:5] offset:256
	s_wait_loadcnt 1
	right v_add_nc_u32 v5, v3, v11
	wrong v_add_nc_u32 v5, v4, v11
	out v5
	s_wait_loadcnt 0
