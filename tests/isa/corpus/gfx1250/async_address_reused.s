; a copy has read its addresses when the next instruction overwrites them
	v_mov_b32 v12, v6
	global_load_async_to_lds_b32 v12, v12, s[4:5]
	v_mov_b32 v12, v7
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
