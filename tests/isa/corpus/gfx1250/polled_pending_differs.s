; what a wave does after a poll depends on the arrivals that are pending
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 2f
	wave 2, 1f
	arrive 8192
	s_endpgm
2:	right await_phase 8200, 1
	arrive 8192
	s_endpgm
1:	v_mov_b32 v3, 2
3:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 3b
	wrong s_cmp_eq_u32 s30, 0xe0000000
	wrong s_cbranch_scc1 4f
	v_mov_b32 v3, 3
4:	right arrive 8200
	out v3
