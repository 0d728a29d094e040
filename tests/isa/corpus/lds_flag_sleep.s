; s_sleep and s_setprio in the polling loop order nothing
	clear_flags
	wave 0, 9f
1:	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 2f
	s_setprio 0
	s_sleep 2
	s_branch 1b
2:	s_setprio 3
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
9:	right ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	s_sleep 3
	wrong ds_write_b32 v6, v7
