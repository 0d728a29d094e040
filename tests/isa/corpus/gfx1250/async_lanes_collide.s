; lanes of one copy write the same bytes of LDS
	right v_mov_b32 v12, v6
	wrong v_mov_b32 v12, 0
	global_load_async_to_lds_b32 v12, v6, s[4:5]
	s_wait_asynccnt 0
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
