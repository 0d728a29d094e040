; a register is overwritten while a load to it is in flight: the load may land later [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	v_mov_b32 v3, 7
	s_waitcnt vmcnt(0)
	out v3
