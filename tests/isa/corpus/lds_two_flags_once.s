; one wait for two flags of two producers: both must be set
	clear_flags
	wave 0, 1f
	wave 1, 2f
3:	ds_read_b32 v13, v10 offset:8192
	ds_read_b32 v14, v10 offset:8196
	s_waitcnt lgkmcnt(0)
	right v_and_b32 v13, v13, v14
	wrong v_or_b32 v13, v13, v14
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 3b
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:512
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, v3, v4
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	s_endpgm
2:	ds_write_b32 v6, v7 offset:512
	ds_write_b32 v10, v11 offset:8196
