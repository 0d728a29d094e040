; of two stores and a write-back before the flag vmcnt(2) covers one store
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	global_store_dword v6, v6, s[6:7] offset:256
	buffer_wbl2 sc1
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(2)
	global_store_dword v10, v11, s[8:9] sc1
	s_endpgm
1:	poll_agent 0, 1
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	global_load_dword v4, v6, s[6:7] offset:256
	s_waitcnt vmcnt(0)
	v_add_u32 v3, v3, v4
	global_store_dword v8, v3, s[6:7]
