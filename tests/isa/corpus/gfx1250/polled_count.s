; two waves arrive; a count of one opens after the first
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2 - WRONG
8:	barrier
	wave 2, 1f
	ds_store_b32 v7, v7
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	ds_load_b32 v4, v6 offset:128
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
