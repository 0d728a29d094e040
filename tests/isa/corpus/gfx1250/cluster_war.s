; the next round's store needs a barrier of the cluster after the other workgroup's load
	v_xor_b32 v12, 0x1000, v8
	global_store_b32 v8, v7, s[6:7]
	global_wb scope:SCOPE_SE
	s_wait_storecnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	global_inv scope:SCOPE_SE
	s_wait_loadcnt 0
	global_load_b32 v3, v12, s[6:7]
	s_wait_loadcnt 0
	right s_barrier_signal -3
	right s_barrier_wait -3
	wrong barrier
	global_store_b32 v8, v3, s[6:7]
