; v_readfirstlane reads one lane of a register in flight
	global_load_dword v3, v6, s[8:9]
	right s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s30, v3
	s_add_u32 s30, s30, 5
	v_mov_b32 v4, s30
	s_waitcnt vmcnt(0)
	out v4
