; a copy to memory reads LDS before the store is there
	ds_store_b32 v6, v7
	right s_wait_dscnt 0
	global_store_async_from_lds_b32 v8, v6, s[6:7]
	s_wait_asynccnt 0
