; after store and load vmcnt(1) covers the store alone [ISA 4.4]
	out v7
	global_load_dword v3, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(1)
	global_store_dword v8, v3, s[6:7] offset:1024
