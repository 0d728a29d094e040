; a load and a later store of one wave to the same address are in order [ISA 4.4]
	global_load_dword v3, v8, s[6:7]
	global_store_dword v8, v7, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7] offset:1024
