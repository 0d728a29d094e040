; v_permlane32_swap writes both registers, one of which a load has still to write
	v_mov_b32 v20, v7
	global_load_dword v21, v6, s[4:5]
	s_nop 1
	right s_waitcnt vmcnt(0)
	v_permlane32_swap_b32 v20, v21
	s_waitcnt vmcnt(0)
	out v20
