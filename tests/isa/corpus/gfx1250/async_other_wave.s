; the reader's asynccnt says nothing of the other wave's copy
	wave 1, 1f
	global_load_async_to_lds_b32 v6, v6, s[4:5]
	right s_wait_asynccnt 0
	barrier
	s_wait_asynccnt 0
	s_endpgm
1:	barrier
	s_wait_asynccnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
