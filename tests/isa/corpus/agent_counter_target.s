; a grid barrier counts all workgroups: 2 of 3 are not enough
	out v7
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, 1
	global_atomic_add v10, v11, s[8:9] sc1
	s_mov_b64 exec, -1
	right poll_agent 0, 3
	wrong poll_agent 0, 2
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	v_add_u32 v12, 0x1000, v6
	global_load_dword v4, v12, s[6:7]
	v_add_u32 v12, 0x2000, v6
	global_load_dword v5, v12, s[6:7]
	s_waitcnt vmcnt(0)
	v_add3_u32 v3, v3, v4, v5
	global_store_dword v8, v3, s[8:9] offset:1024
