; DPP with FI takes the value of lanes that are off, which may be in flight; or of lanes that are on
	v_mov_b32 v3, v1
	v_mov_b32 v4, v1
	s_mov_b32 exec_lo, 0xffffff00
	global_load_b32 v3, v7, s[4:5]
	s_mov_b32 exec_lo, 0xff
	wrong v_mov_b32_dpp v4, v3 row_mirror row_mask:0xf bank_mask:0xf fi:1
	right v_mov_b32_dpp v4, v3 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
	out v4
