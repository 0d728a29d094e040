; two byte flags in one dword, each of its own producer
	clear_flags
	wave 0, 1f
	wave 1, 2f
3:	ds_read_u8 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 3b
	right ds_read_b32 v3, v6
	wrong ds_read_b32 v3, v6 offset:512
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b8 v10, v11 offset:8192
	s_endpgm
2:	ds_write_b32 v6, v7 offset:512
	ds_write_b8 v10, v11 offset:8193
