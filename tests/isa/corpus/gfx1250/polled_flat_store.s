; no source promises that a FLAT store to LDS is in order with an arrival there, without a wait
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	s_mov_b64 s[28:29], src_shared_base
	v_mov_b32 v12, v6
	v_mov_b32 v13, s29
	flat_store_b32 v[12:13], v7
	right s_wait_storecnt_dscnt 0
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
