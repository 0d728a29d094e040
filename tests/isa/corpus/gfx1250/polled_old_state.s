; the state that an arrival returns depends on the schedule; it is stored, or not
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	arrive 8192
	s_wait_dscnt 0
	right v_mov_b32 v26, 4
	out v26
	s_endpgm
1:	await_phase 8192, 1
	out v7
