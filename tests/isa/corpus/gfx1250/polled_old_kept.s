; a move keeps the old state in a lane whose source is off, and that is stored; or takes the source
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	v_mov_b32 v22, 1
	v_mov_b32 v23, 0
	v_mov_b32 v26, 0
	s_mov_b32 s30, 1
	s_mov_b32 s31, 0
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	s_wait_dscnt 0
	wrong v_permlane16_b32 v26, v7, s30, s31
	right v_permlane16_b32 v26, v7, s30, s31 op_sel:[1,0]
	s_mov_b32 exec_lo, -1
	out v26
	s_endpgm
1:	await_phase 8192, 1
	out v7
