; a store counts in vmcnt like a load: after load and store vmcnt(1) covers the load [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	out v7
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	global_store_dword v8, v3, s[6:7] offset:1024
