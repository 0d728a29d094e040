; a flag that is looked at once and not waited for orders nothing on the path where it was not set
	clear_flags
	wave 0, 1f
	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 1
	right s_cbranch_scc0 2f
	wrong s_nop 0
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
2:	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
