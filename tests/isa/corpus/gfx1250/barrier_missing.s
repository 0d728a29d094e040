; one wave reads what another writes
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	right barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
