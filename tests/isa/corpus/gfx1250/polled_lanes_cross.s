; the last lanes of one arrival count for the next phase
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 32 - WRONG * 12
8:	barrier
	wave 1, 1f
	v_mov_b32 v22, 1
	v_mov_b32 v23, 0
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	s_endpgm
1:	await_phase 8192, 1
	out v7
