; a slot that is filled three times: a wave waits until it is empty, the other until it is full, by phases; or gives it back too early
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
	await_phase 8200, 0
	ds_store_b32 v6, v1
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	wrong arrive 8200
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	right arrive 8200
	await_phase 8192, 0
	ds_load_b32 v4, v6
	s_wait_dscnt 0
	arrive 8200
	await_phase 8192, 1
	ds_load_b32 v5, v6
	s_wait_dscnt 0
	v_add3_u32 v3, v3, v4, v5
	out v3
