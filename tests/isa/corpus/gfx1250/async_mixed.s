; a store may report before the load that was issued before it: asynccnt 1 covers neither
	ds_store_b32 v6, v7 offset:512
	s_wait_dscnt 0
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	global_store_async_from_lds_b32 v6, v6, s[6:7] offset:512
	right s_wait_asynccnt 0
	wrong s_wait_asynccnt 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_asynccnt 0
