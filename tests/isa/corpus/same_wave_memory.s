; a wave's own stores and loads of one address are in order, as every compiled spill relies on [ISA 4.4, LLVM memory model: program order within a thread]
	global_store_dword v8, v7, s[6:7]
	global_load_dword v3, v8, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7] offset:1024
