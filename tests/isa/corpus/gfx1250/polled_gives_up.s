; a poll that gives up after three looks
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	ds_store_b32 v6, v7
	arrive 8192
	s_endpgm
1:	s_mov_b32 s31, 3
2:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc1 3f
	wrong s_sub_co_u32 s31, s31, 1
	s_cmp_lg_u32 s31, 0
	s_cbranch_scc1 2b
3:	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
