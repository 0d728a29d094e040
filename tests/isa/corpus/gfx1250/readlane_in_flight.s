; one lane of a register in flight
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	v_readlane_b32 s20, v3, 5
	v_mov_b32 v4, s20
	out v4
	s_wait_loadcnt 0
