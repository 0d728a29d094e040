; a wave reads the state once, beside an arrival, before it polls
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 0, 1f
	arrive 8192
	s_endpgm
1:	wrong ds_load_b32 v24, v10 offset:8192
	right v_mov_b32 v24, 0
	s_wait_dscnt 0
	v_readfirstlane_b32 s31, v24
	s_lshr_b32 s31, s31, 29
	await_phase 8192, 1
	v_mov_b32 v3, s31
	out v3
