; a workgroup reads a sum that another one still adds to
	global_atomic_add v6, v11, s[6:7]
	s_waitcnt vmcnt(0)
	right global_load_dword v3, v6, s[4:5]
	wrong global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[8:9] offset:512
