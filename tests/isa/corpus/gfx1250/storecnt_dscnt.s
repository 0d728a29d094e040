; s_wait_storecnt_dscnt waits for LDS, not for loads
	ds_store_b32 v6, v7
	ds_load_b32 v3, v6
	global_load_b32 v4, v6, s[4:5]
	s_wait_storecnt_dscnt 0
	right v_mov_b32 v5, v3
	wrong v_mov_b32 v5, v4
	out v5
	s_wait_loadcnt 0
