; lanes of one copy write the same bytes of memory
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	right v_mov_b32 v12, v6
	wrong v_mov_b32 v12, 0
	global_store_async_from_lds_b32 v12, v6, s[6:7]
	s_wait_asynccnt 0
