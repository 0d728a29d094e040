; the second half of a dual instruction reads a register in flight
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	v_dual_mov_b32 v20, v7 :: v_dual_mov_b32 v21, v3
	out v21
