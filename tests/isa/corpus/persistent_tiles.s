; persistent workgroups take tiles by an atomic ticket, broadcast in LDS
1:	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 2f
	s_mov_b64 exec, 1
	global_atomic_add v3, v10, v11, s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	ds_write_b32 v10, v3
	s_waitcnt lgkmcnt(0)
	s_mov_b64 exec, -1
2:	s_barrier
	ds_read_b32 v4, v10
	s_waitcnt lgkmcnt(0)
	right s_barrier
	v_readfirstlane_b32 s30, v4
	s_cmp_ge_u32 s30, 6
	s_cbranch_scc1 3f
	s_lshl_b32 s31, s30, 9
	v_add_u32 v12, s31, v7
	global_load_dword v5, v12, s[4:5]
	s_waitcnt vmcnt(0)
	global_store_dword v12, v5, s[6:7]
	s_branch 1b
3:	s_nop 0
