; the same, of which nothing has written the lower bits
	right s_mov_b32 m0, 0
	wrong s_and_b32 m0, s50, 3
	cluster_load_async_to_lds_b32 v6, v7, s[4:5]
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
