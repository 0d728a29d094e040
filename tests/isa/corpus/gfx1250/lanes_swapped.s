; an exchange of lanes writes both of its registers
	global_load_b32 v4, v6, s[4:5]
	v_mov_b32 v3, v7
	right s_wait_loadcnt 0
	v_permlane16_swap_b32 v3, v4
	s_wait_loadcnt 0
	out v3
