; the second wait of a ring has the phase of the first, so it is over at once
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	ds_store_b32 v6, v7
	arrive 8192
	await_phase 8200, 1
	ds_store_b32 v6, v8
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	arrive 8200
	right await_phase 8192, 0
	wrong await_phase 8192, 1
	ds_load_b32 v4, v6
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
