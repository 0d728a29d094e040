; each round of a poll arrives at another barrier, whose state is stored
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 100
8:	barrier
	wave 1, 1f
	arrive 8192
	barrier
	s_endpgm
1:	right arrive 8200
	v_mov_b32 v22, 1
	v_mov_b32 v23, 0
2:	ds_load_b64 v[24:25], v10 offset:8192
	wrong ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8200
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 2b
	barrier
	ds_load_b32 v3, v10 offset:8200
	s_wait_dscnt 0
	out v3
