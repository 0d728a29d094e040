; an LDS lock is given back after the last access under it
	clear_flags
1:	ds_cmpst_rtn_b32 v13, v10, v10, v11 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 1b
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, v7
	wrong ds_write_b32 v10, v10 offset:8192
	ds_write_b32 v6, v3
	right ds_write_b32 v10, v10 offset:8192
	out v7
