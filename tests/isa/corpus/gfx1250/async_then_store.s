; a copy in flight lands over a later store
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	right s_wait_asynccnt 0
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
