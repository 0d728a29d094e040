; two producers and two consumers, each with its own flag; consumer 3 polls consumer 2's
	clear_flags
	s_lshl_b32 s31, s12, 2
	v_mov_b32 v12, s31
	s_cmp_ge_u32 s12, 2
	s_cbranch_scc1 1f
	ds_write_b32 v7, v7
	ds_write_b32 v12, v11 offset:8192
	s_endpgm
1:
	right v_subrev_u32 v12, 8, v12
	wrong v_mov_b32 v12, 0
	v_subrev_u32 v14, 512, v7
2:	ds_read_b32 v13, v12 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 2b
	ds_read_b32 v3, v14
	s_waitcnt lgkmcnt(0)
	out v3
