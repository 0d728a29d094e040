; a signal waits for nothing: the store may not be in LDS
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	right s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
