; a scalar load in flight and a store to the same bytes: other caches, no order [ISA 4.4]
	s_load_dword s28, s[6:7], 0
	right s_waitcnt lgkmcnt(0)
	global_store_dword v6, v7, s[6:7]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32 v3, s28
	global_store_dword v8, v3, s[6:7] offset:1024
