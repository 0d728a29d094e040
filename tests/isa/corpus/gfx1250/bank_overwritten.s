; a load in flight into the first bank meets a result in the same register; the right twin's is in the second
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 0x40
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0
	s_wait_loadcnt 0
	out v3
