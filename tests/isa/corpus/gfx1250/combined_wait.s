; one instruction waits for both counters: 0x100 is loadcnt 1 and dscnt 0
	ds_store_b32 v6, v7
	ds_load_b32 v5, v6
	global_load_b32 v3, v6, s[4:5]
	global_load_b32 v4, v6, s[4:5] offset:256
	s_wait_loadcnt_dscnt 0x100
	v_add_nc_u32 v5, v5, v11
	right v_add_nc_u32 v5, v5, v3
	wrong v_add_nc_u32 v5, v5, v4
	out v5
	s_wait_loadcnt 0
