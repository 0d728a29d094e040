; VALU writes VCC before v_div_fmas: 4 [ISA table 11]
	v_cvt_f32_u32 v3, v7
	v_cmp_eq_u32 vcc, v1, v10
	right s_nop 3
	wrong s_nop 2
	v_div_fmas_f32 v4, v3, v3, v3
	out v4
