; the cache of a workgroup may have the line from before the other one wrote it: only an invalidation drops it
	v_xor_b32 v12, 0x1000, v8
	global_load_b32 v3, v12, s[6:7]
	s_wait_loadcnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	global_store_b32 v8, v7, s[6:7]
	global_wb scope:SCOPE_SE
	s_wait_storecnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	right global_inv scope:SCOPE_SE
	s_wait_loadcnt 0
	global_load_b32 v4, v12, s[6:7]
	s_wait_loadcnt 0
	v_xor_b32 v3, v3, v4
	global_store_b32 v8, v3, s[6:7] offset:1024
