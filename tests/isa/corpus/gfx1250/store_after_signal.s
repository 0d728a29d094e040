; a store between signal and wait is not before the barrier
	v_xor_b32 v12, 0x80, v7
	right ds_store_b32 v7, v7
	right s_wait_dscnt 0
	s_barrier_signal -1
	wrong ds_store_b32 v7, v7
	wrong s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
