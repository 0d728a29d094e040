; an arrival of 0 completes nothing, so what its wave stored before it may come later
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2 - WRONG
8:	barrier
	wave 0, 1f
	wave 2, 2f
	arrive 8192
	s_endpgm
2:	ds_store_b32 v6, v7
	right arrive 8192
	wrong v_mov_b32 v22, 0
	wrong v_mov_b32 v23, 0
	wrong s_mov_b32 exec_lo, 1
	wrong ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	wrong s_mov_b32 exec_lo, -1
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
