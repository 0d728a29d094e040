; a poll until one arrival is pending, a state that may be over; or until a phase
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	arrive 8192
	s_endpgm
1:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	right s_lshr_b32 s30, s30, 29
	right s_cmp_eq_u32 s30, 7
	wrong s_cmp_lg_u32 s30, 1
	s_cbranch_scc0 1b
	out v7
