; a register of bank 1, read as the addend of a multiplication
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 0x10
	v_fma_f32 v4, v6, v7, v3
	s_set_vgpr_msb 0
	s_wait_loadcnt 0
	out v4
