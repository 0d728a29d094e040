; v_cmpx before v_readfirstlane: 4 [ISA table 11]
	v_cmpx_ge_u32 v1, v10
	right s_nop 3
	wrong s_nop 2
	v_readfirstlane_b32 s28, v7
	s_mov_b64 exec, -1
	s_nop 3
	v_mov_b32 v3, s28
	out v3
