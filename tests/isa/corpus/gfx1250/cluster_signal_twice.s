; one wave of a workgroup signals the barrier of its cluster: where each of two does, one workgroup opens it alone
	global_store_b32 v8, v7, s[6:7]
	global_wb scope:SCOPE_SE
	s_wait_storecnt 0
	barrier
	right wave 1, 1f
	s_barrier_signal -3
1:	s_barrier_wait -3
	global_inv scope:SCOPE_SE
	s_wait_loadcnt 0
	v_xor_b32 v12, 0x1000, v8
	global_load_b32 v3, v12, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
