; an address that nothing wrote
	right v_mov_b32 v90, v6
	wrong v_and_b32 v90, 0xfc, v91
	global_load_dword v3, v90, s[4:5]
	s_waitcnt vmcnt(0)
	out v3
