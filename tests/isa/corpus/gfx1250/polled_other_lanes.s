; the lanes of one load poll two barriers
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
	lds_barrier 8200, 1
8:	barrier
	wave 1, 1f
	arrive 8192
	arrive 8200
	s_endpgm
1:	wrong v_lshlrev_b32 v10, 3, v1
	wrong v_and_b32 v10, 8, v10
2:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	right v_readfirstlane_b32 s30, v24
	wrong v_readlane_b32 s30, v24, 1
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 2b
	out v7
