; loads report in order among loads
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	global_load_async_to_lds_b32 v6, v6, s[4:5] offset:512
	s_wait_asynccnt 1
	right ds_load_b32 v3, v6
	wrong ds_load_b32 v3, v6 offset:512
	s_wait_dscnt 0
	out v3
	s_wait_asynccnt 0
