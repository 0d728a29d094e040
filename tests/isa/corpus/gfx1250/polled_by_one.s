; one wave polls for another, which must meet it before it reads
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 0, 2f
	wave 2, 1f
	await_phase 8192, 1
	barrier
	s_endpgm
2:	ds_store_b32 v6, v7
	arrive 8192
	barrier
	s_endpgm
1:	right barrier
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	wrong barrier
