; a VALU reads the result of a transcendental: 1 [ISA table 11]
	v_cvt_f32_u32 v3, v7
	v_rcp_f32 v4, v3
	right s_nop 0
	v_add_f32 v5, v4, v3
	out v5
