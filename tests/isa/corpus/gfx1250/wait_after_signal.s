; the store is waited for after the signal that should cover it
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	right s_wait_dscnt 0
	s_barrier_signal -1
	s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
