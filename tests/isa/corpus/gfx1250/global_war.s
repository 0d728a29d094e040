; a load in flight across the barrier meets the other wave's store
	v_xor_b32 v12, 0x80, v7
	global_load_b32 v3, v12, s[6:7]
	right s_wait_loadcnt 0
	barrier
	global_store_b32 v7, v7, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
