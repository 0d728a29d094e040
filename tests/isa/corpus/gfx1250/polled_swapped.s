; two barriers for two halves; a wave reads the half that the other barrier stands for
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	ds_store_b32 v6, v7
	arrive 8192
	ds_store_b32 v6, v7 offset:128
	arrive 8200
	s_endpgm
1:	await_phase 8192, 1
	right ds_load_b32 v3, v6
	wrong ds_load_b32 v3, v6 offset:128
	s_wait_dscnt 0
	out v3
	await_phase 8200, 1
