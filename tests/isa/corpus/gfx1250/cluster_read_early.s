; the load is between signal and wait
	global_store_b32 v8, v7, s[6:7]
	global_wb scope:SCOPE_SE
	s_wait_storecnt 0
	v_xor_b32 v12, 0x1000, v8
	s_barrier_signal -3
	wrong global_load_b32 v3, v12, s[6:7]
	s_barrier_wait -3
	global_inv scope:SCOPE_SE
	s_wait_loadcnt 0
	right global_load_b32 v3, v12, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
