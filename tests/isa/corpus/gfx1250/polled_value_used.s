; how many arrivals are pending when a poll ends depends on the schedule; the value that it has read is stored, or not
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 2, 1f
	ds_store_b32 v7, v7
	arrive 8192
	arrive 8200
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v24, v6
	right s_wait_dscnt 0
	right v_mov_b32 v25, 0
	s_wait_dscnt 0
	out v24
	wrong ds_load_b32 v25, v10 offset:8200
	wrong s_wait_dscnt 0
	out v25
