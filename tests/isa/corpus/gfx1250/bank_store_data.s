; the data of an LDS store have the bank of source 1: v259, which a load has in flight
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 4
	ds_store_b32 v6, v3
	s_set_vgpr_msb 0
	s_wait_loadcnt 0
	s_wait_dscnt 0
	ds_load_b32 v5, v6
	s_wait_dscnt 0
	out v5
