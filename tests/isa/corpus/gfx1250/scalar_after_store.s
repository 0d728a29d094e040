; a scalar load is in no order with the wave's store
	global_store_b32 v6, v7, s[6:7]
	right s_wait_storecnt 0
	s_load_b32 s20, s[6:7], 0
	s_wait_kmcnt 0
	v_mov_b32 v3, s20
	global_store_b32 v8, v3, s[6:7] offset:1024
