; the wave that comes first at an LDS counter takes the first half: who does which half must not show
	clear_flags
	s_mov_b64 exec, 1
	ds_add_rtn_u32 v3, v10, v11 offset:8192
	s_waitcnt lgkmcnt(0)
	s_mov_b64 exec, -1
	v_readfirstlane_b32 s30, v3
	s_lshl_b32 s30, s30, 8
	v_add_u32 v12, s30, v6
	global_load_dword v4, v12, s[4:5]
	s_waitcnt vmcnt(0)
	wrong v_add_u32 v4, s12, v4
	global_store_dword v12, v4, s[6:7]
