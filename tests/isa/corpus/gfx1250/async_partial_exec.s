; masked lanes copy nothing
	s_mov_b32 s20, exec_lo
	wrong s_mov_b32 exec_lo, 0xffff
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	s_mov_b32 exec_lo, s20
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
