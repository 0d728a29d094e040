; a copy into LDS is not in order with the wave's own store to memory
	global_store_b32 v6, v7, s[6:7]
	right s_wait_storecnt 0
	global_load_async_to_lds_b32 v6, v6, s[6:7]
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
