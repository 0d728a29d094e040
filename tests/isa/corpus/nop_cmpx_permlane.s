; v_cmpx before v_permlane: 4 [ISA table 11]
	v_mov_b32 v20, v7
	v_mov_b32 v21, v6
	v_cmpx_ge_u32 v1, v10
	right s_nop 3
	wrong s_nop 2
	v_permlane16_swap_b32 v20, v21
	s_nop 1
	out v20
