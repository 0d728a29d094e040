; a wave stores what the last round but one has found: it has another value if there were fewer
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	s_mov_b32 s29, 99
	s_mov_b32 s31, 77
	wave 1, 1f
	s_sleep 30
	arrive 8192
	s_endpgm
1:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	wrong s_mov_b32 s31, s29
	v_readfirstlane_b32 s30, v24
	wrong s_lshr_b32 s29, s30, 29
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 1b
	v_mov_b32 v3, s31
	out v3
