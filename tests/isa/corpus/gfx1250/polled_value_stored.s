; the state that ends a poll is stored: an arrival of the next phase may have come since; or only its phase decides
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 1, 2f
	wave 2, 1f
	arrive 8192
	s_endpgm
2:	arrive 8192
	await_phase 8192, 1
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	right v_mov_b32 v24, 3
	out v24
