; two waves go on to the next phase beside a third, which may still wait for the first
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	wave 2, 2f
	arrive 8192
	await_phase 8192, 1
	right await_phase 8200, 1
	arrive 8192
	s_endpgm
1:	arrive 8192
	await_phase 8192, 1
	right await_phase 8200, 1
	arrive 8192
	s_endpgm
2:	await_phase 8192, 1
	arrive 8200
	out v7
