; a wave waits in LDS for its own flag and writes elsewhere meanwhile
	ds_write_b32 v6, v10
	right s_branch 2f
1:	ds_read_b32 v13, v10
	ds_write_b32 v6, v6 offset:1024
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 1b
2:	out v7
