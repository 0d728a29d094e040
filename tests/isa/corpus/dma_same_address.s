; the same address loaded twice into LDS: other contents if the launch has written there in between
	right v_add_u32 v8, 0x2000, v8
	s_mov_b32 m0, 0
	buffer_load_dword v6, s[20:23], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	out v7
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v5, v6
	buffer_load_dword v6, s[20:23], 0 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v6, v5, s[8:9]
