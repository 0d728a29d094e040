; a wave goes on when one of two barriers has changed its phase, and stores which; or waits for both
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	wave 2, 2f
	arrive 8192
	s_endpgm
2:	arrive 8200
	s_endpgm
1:	v_mov_b32 v3, 1
	right await_phase 8200, 1
	right await_phase 8192, 1
	right s_branch 3f
4:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc1 3f
	ds_load_b64 v[24:25], v10 offset:8200
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 4b
	v_mov_b32 v3, 2
3:	out v3
