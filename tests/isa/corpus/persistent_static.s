; a static tile loop with one LDS buffer needs two barriers a tile
	s_mov_b32 s28, s2
	v_xor_b32 v14, 0x100, v7
1:	s_lshl_b32 s31, s28, 9
	v_add_u32 v12, s31, v7
	global_load_dword v5, v12, s[4:5]
	s_waitcnt vmcnt(0)
	ds_write_b32 v7, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v14
	s_waitcnt lgkmcnt(0)
	right s_barrier
	global_store_dword v12, v4, s[6:7]
	s_add_u32 s28, s28, 2
	s_cmp_lt_u32 s28, 6
	s_cbranch_scc1 1b
