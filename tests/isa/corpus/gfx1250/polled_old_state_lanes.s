; only some lanes of an old state are overwritten before all are stored
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 64
8:	barrier
	wave 2, 1f
	v_mov_b32 v22, 1
	v_mov_b32 v23, 0
	v_mov_b32 v26, 0
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	s_wait_dscnt 0
	wrong s_mov_b32 exec_lo, 0xff
	wrong s_or_b32 exec_lo, exec_lo, 0x100
	v_mov_b32 v26, 4
	s_mov_b32 exec_lo, -1
	out v26
	s_endpgm
1:	await_phase 8192, 1
	out v7
