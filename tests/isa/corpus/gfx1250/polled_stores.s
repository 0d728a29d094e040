; a wave arrives when it has stored, so the other one may read; the arrival is in LDS order after the store, and not before it
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	wrong arrive 8192
	ds_store_b32 v6, v7
	right arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
