; a load into the second bank of VGPRs: the register of the same number in the first is another
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 1
	v_mov_b32 v4, v3
	s_set_vgpr_msb 0
	out v4
	s_wait_loadcnt 0
