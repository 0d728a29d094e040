; the wave that comes first at an LDS counter takes the first half: who does which half must not show
	ds_store_b32 v6, v10 offset:8192
	s_wait_dscnt 0
	barrier
	s_mov_b32 exec_lo, 1
	ds_add_rtn_u32 v3, v10, v11 offset:8192
	s_wait_dscnt 0
	s_mov_b32 exec_lo, -1
	v_readfirstlane_b32 s30, v3
	s_lshl_b32 s30, s30, 7
	v_add_nc_u32 v12, s30, v6
	global_load_b32 v4, v12, s[4:5]
	s_wait_loadcnt 0
	wrong v_add_nc_u32 v4, s12, v4
	global_store_b32 v12, v4, s[6:7]
