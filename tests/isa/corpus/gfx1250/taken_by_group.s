; the same of a move in groups of 16 lanes
	v_mov_b32 v3, v1
	v_mov_b32 v4, v1
	s_mov_b32 exec_lo, 0xffffff00
	global_load_b32 v3, v7, s[4:5]
	s_mov_b32 exec_lo, 0xff
	v_permlane_xor_b32 v4, v3, 7 + WRONG, 16
	out v4
