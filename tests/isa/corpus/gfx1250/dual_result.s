; the second half of a dual instruction overwrites a register that a load will overwrite again
	global_load_b32 v21, v6, s[4:5]
	right s_wait_loadcnt 0
	v_dual_mov_b32 v20, v7 :: v_dual_mov_b32 v21, v6
	s_wait_loadcnt 0
	out v21
