; a wave polls by a load that gives each lane a byte of all lanes, so the high bits of lane 0 count arrivals
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 64
8:	barrier
	v_mov_b32 v22, 32
	v_mov_b32 v23, 0
	wave 2, 1f
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	s_mov_b32 exec_lo, -1
	wave 0, 3f
	await_phase 8192, 1
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
3:	s_endpgm
1:	right ds_load_b64 v[24:25], v10 offset:8192
	wrong ds_load_tr8_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readlane_b32 s30, v24, 3
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 1b
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cselect_b32 s30, 1, 2
	v_mov_b32 v3, s30
	out v3
