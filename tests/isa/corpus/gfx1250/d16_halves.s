; two loads fill the halves of a register
	v_mov_b32 v3, 0
	global_load_d16_b16 v3, v6, s[4:5]
	global_load_d16_hi_b16 v3, v6, s[4:5] offset:64
	right s_wait_loadcnt 0
	wrong s_wait_loadcnt 1
	v_mov_b32 v4, v3
	out v4
	s_wait_loadcnt 0
