; the bank is set back on one of two paths alone
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0x40
	v_mov_b32 v4, v7
	s_set_vgpr_msb 1
	group 1, 1f
	v_mov_b32 v5, v4
	s_set_vgpr_msb 0
	s_branch 2f
1:	v_mov_b32 v5, v4
	right s_set_vgpr_msb 0
2:	v_add_nc_u32 v3, v3, v5
	s_set_vgpr_msb 0
	out v3
