; a wave arrives for two phases; the other one, which waits for the first, may see the second
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	arrive 8192
	right await_phase 8200, 1
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	arrive 8200
	out v7
