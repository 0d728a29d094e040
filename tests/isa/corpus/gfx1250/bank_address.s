; an address in the second bank
	s_set_vgpr_msb 0x40
	v_mov_b32 v6, v6
	s_wait_alu 0
	ds_store_b32 v6, v6
	ds_load_b32 v12, v6
	right s_wait_dscnt 0
	s_set_vgpr_msb 1
	ds_load_b32 v3, v12
	s_set_vgpr_msb 0
	s_wait_dscnt 0
	out v3
