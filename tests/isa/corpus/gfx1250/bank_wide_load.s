; the upper half of a load of two dwords, used in its bank
	s_set_vgpr_msb 0x40
	v_lshlrev_b32 v20, 3, v1
	s_set_vgpr_msb 0x41
	global_load_b64 v[4:5], v20, s[4:5]
	right s_wait_loadcnt 0
	s_set_vgpr_msb 1
	v_mov_b32 v5, v5
	s_set_vgpr_msb 0
	out v5
	s_wait_loadcnt 0
