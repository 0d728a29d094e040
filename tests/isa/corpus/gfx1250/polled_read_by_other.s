; a wave reads the state beside an arrival; another one polls after that read
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 0, 1f
	wave 2, 2f
	arrive 8192
	s_endpgm
2:	v_mov_b32 v24, 0
	wrong ds_load_b32 v24, v10 offset:8192
	s_wait_dscnt 0
	arrive 8200
	out v24
	s_endpgm
1:	await_phase 8200, 1
	await_phase 8192, 1
	v_mov_b32 v3, 3
	out v3
