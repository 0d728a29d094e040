; the data of a global store have the bank of source 1
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 1
	wrong s_set_vgpr_msb 4
	s_nop 0
	right s_set_vgpr_msb 0
	global_store_b32 v8, v3, s[6:7]
	s_set_vgpr_msb 0
	s_wait_loadcnt 0
