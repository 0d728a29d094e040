; LDS is overwritten while a copy to memory still reads it; the wave has read the same bytes after the copy
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	global_store_async_from_lds_b32 v8, v6, s[6:7]
	ds_load_b32 v20, v6
	s_wait_dscnt 0
	right s_wait_asynccnt 0
	ds_store_b32 v6, v6
	s_wait_dscnt 0
	s_wait_asynccnt 0
