; the same of a permutation of rows
	v_mov_b32 v3, v1
	v_mov_b32 v4, v1
	s_mov_b32 s30, 0x01234567 + 0x88888888 * WRONG
	s_mov_b32 s31, 0
	s_mov_b32 exec_lo, 0xffffff00
	global_load_b32 v3, v7, s[4:5]
	s_mov_b32 exec_lo, 0xff
	v_permlane16_b32 v4, v3, s30, s31 op_sel:[1,0]
	out v4
