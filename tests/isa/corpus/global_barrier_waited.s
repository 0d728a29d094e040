; vmcnt(0) alone orders nothing between waves
	out v7
	s_waitcnt vmcnt(0)
	right s_barrier
	v_xor_b32 v12, 0x100, v7
	global_load_dword v3, v12, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[8:9]
