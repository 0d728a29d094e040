; a copy into LDS reads memory that the other wave stored, before a barrier that its store has not reached
	global_store_b32 v7, v7, s[6:7]
	right s_wait_storecnt 0
	barrier
	v_xor_b32 v12, 0x80, v7
	global_load_async_to_lds_b32 v7, v12, s[6:7]
	s_wait_asynccnt 0
	ds_load_b32 v3, v7
	s_wait_dscnt 0
	global_store_b32 v7, v3, s[6:7] offset:2048
