; a subroutine that returns with another bank set
	v_mov_b32 v3, v7
	s_get_pc_i64 s[28:29]
0:	s_add_co_u32 s28, s28, 2f - 0b
	s_add_co_ci_u32 s29, s29, 0
	s_swap_pc_i64 s[30:31], s[28:29]
	v_mov_b32 v5, v3
	s_set_vgpr_msb 0
	out v5
	s_endpgm
2:	s_set_vgpr_msb 0x40
	v_mov_b32 v4, 1
	right s_set_vgpr_msb 0
	wrong s_set_vgpr_msb 1
	s_set_pc_i64 s[30:31]
