; a lock that is looked at before it is taken: the look alone is not enough
	ds_write_b32 v7, v10
	clear_flags
	s_mov_b64 exec, 1
1:	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 1b
	right ds_cmpst_rtn_b32 v13, v10, v10, v11 offset:8192
	wrong ds_write_b32 v10, v11 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 1b
	s_mov_b64 exec, -1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	v_add_u32 v3, v3, v7
	ds_write_b32 v6, v3
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v10, v10 offset:8192
