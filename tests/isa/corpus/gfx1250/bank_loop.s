; the bank of the second round is that which the first round left
	v_mov_b32 v3, v7
	v_mov_b32 v5, 0
	s_set_vgpr_msb 0x40
	v_mov_b32 v3, v7
	global_load_b32 v3, v6, s[4:5]
	s_set_vgpr_msb 0
	s_mov_b32 s20, 2
1:	v_add_nc_u32 v5, v3, v5
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 1
	s_sub_co_i32 s20, s20, 1
	s_cmp_lg_u32 s20, 0
	s_cbranch_scc1 1b
	s_set_vgpr_msb 0
	out v5
	s_wait_loadcnt 0
