; a wave loads two barriers at once, waits for the second, and stores whether the first has opened, too
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 2f
	wave 2, 1f
	arrive 8192
	s_endpgm
2:	arrive 8200
	s_endpgm
1:	right await_phase 8192, 1
3:	wrong ds_load_b64 v[28:29], v10 offset:8192
	right v_mov_b32 v28, 0x20000000
	ds_load_b64 v[24:25], v10 offset:8200
	s_wait_dscnt 0
	v_readfirstlane_b32 s31, v28
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s31, 29
	s_cselect_b32 s33, 1, 0
	s_cmp_eq_u32 s33, 5
	s_cbranch_scc1 3b
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 3b
	v_mov_b32 v3, s33
	out v3
