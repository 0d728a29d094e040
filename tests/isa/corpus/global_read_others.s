; a workgroup reads what the other one writes
	out v7
	s_waitcnt vmcnt(0)
	v_xor_b32 v12, 0x1000, v8
	right global_load_dword v3, v12, s[4:5]
	wrong global_load_dword v3, v12, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[8:9]
