; an asynchronous copy counts in asynccnt alone
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	right s_wait_asynccnt 0
	wrong s_wait_loadcnt 0
	wrong s_wait_dscnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_asynccnt 0
