; v_cmp writes 0 for lanes that do not exist [ISA 3.9]
	v_cmp_ge_u32 s[28:29], v1, v10
	s_nop 1
	s_bcnt1_i32_b64 s28, s[28:29]
	v_mov_b32 v3, s28
	out v3
