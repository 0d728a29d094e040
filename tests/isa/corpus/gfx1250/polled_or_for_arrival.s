; a wave polls a bit that an atomic sets in place of an arrival
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	right arrive 8192
	v_mov_b32 v21, 0xe0000000
	wrong ds_or_b32 v10, v21 offset:8192
	s_endpgm
1:	v_mov_b32 v3, 1
2:	ds_load_b32 v24, v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc1 3f
	wrong v_mov_b32 v3, 2
	s_branch 2b
3:	out v3
