; a wave that waits for the first phase stores the phase that it finds; another one may complete the second before that
	wave 1, 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	arrive 8192
	right await_phase 8200, 1
	.rept 400
	s_nop 0
	.endr
	arrive 8192
	s_endpgm
1:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_lshr_b32 s30, s30, 29
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 1b
	v_mov_b32 v3, s30
	out v3
	arrive 8200
