; an offset that was loaded is used as an address before it is there
	v_mov_b32 v12, 0
	global_load_dword v12, v6, s[8:9]
	right s_waitcnt vmcnt(0)
	global_load_dword v3, v12, s[4:5]
	s_waitcnt vmcnt(0)
	out v3
