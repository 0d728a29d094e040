; memory that a copy writes is read before it has completed
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	global_store_async_from_lds_b32 v6, v6, s[6:7]
	right s_wait_asynccnt 0
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
	s_wait_asynccnt 0
