; wave 0 takes the ticket for both waves: a barrier must come between the other's stores and the ticket
	out v7
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	right s_barrier
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 1f
	s_mov_b64 exec, 1
	global_atomic_add v3, v10, v11, s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, -1
	v_readfirstlane_b32 s30, v3
	s_cmp_eq_u32 s30, 1
	s_cbranch_scc0 1f
	buffer_inv sc1
	global_load_dword v4, v6, s[6:7] offset:256
	v_add_u32 v12, 0x1000, v6
	global_load_dword v5, v12, s[6:7] offset:256
	s_waitcnt vmcnt(0)
	v_add_u32 v5, v5, v4
	global_store_dword v6, v5, s[8:9] offset:1024
1:	s_nop 0
