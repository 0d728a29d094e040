; workgroup 2 polls one of two producers
	group 2, 1f
	s_lshl_b32 s28, s2, 2
	v_mov_b32 v12, s28
	out v7
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v12, v11, s[8:9] sc1
	s_endpgm
1:	poll_agent 0, 1
	right poll_agent 4, 1
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	v_add_u32 v12, 0x1000, v6
	global_load_dword v4, v12, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32 v3, v3, v4
	out v3
