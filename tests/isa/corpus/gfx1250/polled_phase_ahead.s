; two waves fill, a third reads; one of them does not wait for the phase, so its second arrival may count for the first
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	wave 1, 2f
	ds_store_b32 v6, v7
	arrive 8192
	right await_phase 8192, 1
	.rept 400
	s_nop 0
	.endr
	ds_store_b32 v6, v7 offset:256
	arrive 8192
	s_endpgm
2:	ds_store_b32 v6, v7 offset:128
	arrive 8192
	await_phase 8192, 1
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	ds_load_b32 v4, v6 offset:128
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
