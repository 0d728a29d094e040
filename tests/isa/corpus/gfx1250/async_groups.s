; two workgroups copy out to the same bytes
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	right global_store_async_from_lds_b32 v8, v6, s[6:7]
	wrong global_store_async_from_lds_b32 v6, v6, s[6:7]
	s_wait_asynccnt 0
