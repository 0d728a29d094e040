; the bank stays set: the source is v259, which nothing has written
	v_mov_b32 v3, v7
	s_set_vgpr_msb 1
	right s_set_vgpr_msb 0
	v_mov_b32 v4, v3
	s_set_vgpr_msb 0
	out v4
