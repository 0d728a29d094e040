; each round of a poll adds to a dword, which is stored
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	arrive 8192
	s_endpgm
1:	right ds_add_u32 v10, v11 offset:8200
2:	ds_load_b64 v[24:25], v10 offset:8192
	wrong ds_add_u32 v10, v11 offset:8200
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 2b
	ds_load_b32 v3, v10 offset:8200
	s_wait_dscnt 0
	out v3
