; VALU writes what v_permlane32_swap reads: 2 [ISA table 11]
	v_mov_b32 v20, v7
	v_mov_b32 v21, v6
	right s_nop 1
	wrong s_nop 0
	v_permlane32_swap_b32 v20, v21
	s_nop 1
	out v20
