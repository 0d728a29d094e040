; a copy from LDS to memory counts in asynccnt, not in storecnt
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	global_store_async_from_lds_b32 v7, v7, s[6:7]
	right s_wait_asynccnt 0
	wrong s_wait_storecnt 0
	barrier
	v_xor_b32 v12, 0x80, v7
	global_load_b32 v3, v12, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v7, v3, s[6:7] offset:2048
	s_wait_asynccnt 0
