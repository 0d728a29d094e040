; a VALU reads a loaded register before vmcnt(0) [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	v_add_u32 v4, 1, v3
	s_waitcnt vmcnt(0)
	out v4
