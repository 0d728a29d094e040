; the address register of a load in flight is free [ISA 4.4 names results alone]
	v_mov_b32 v12, v6
	global_load_dword v3, v12, s[4:5]
	v_mov_b32 v12, 0
	s_waitcnt vmcnt(0)
	v_add_u32 v3, v3, v12
	out v3
