; a load in flight across the barrier meets the next tile's store
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	right s_wait_dscnt 0
	barrier
	ds_store_b32 v7, v11
	s_wait_dscnt 0
	out v3
