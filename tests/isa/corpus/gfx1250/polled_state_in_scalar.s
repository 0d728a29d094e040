; the arrivals that are pending go from a scalar register, which had no value before, to the rounding mode
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	wave 1, 2f
	arrive 8192
	s_endpgm
2:	arrive 8192
	await_phase 8192, 1
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	wrong s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s30
	v_cvt_f32_u32 v3, v7
	v_add_f32 v3, 0x3dcccccd, v3
	out v3
