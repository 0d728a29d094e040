; both halves of a dual instruction share the banks
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 1
	v_dual_mov_b32 v20, v7 :: v_dual_mov_b32 v21, v3
	s_set_vgpr_msb 0
	s_wait_loadcnt 0
	out v21
