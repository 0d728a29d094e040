; the next tile is stored between signal and wait, while the other wave may still read this one
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	s_barrier_signal -1
	wrong ds_store_b32 v7, v6
	s_barrier_wait -1
	right ds_store_b32 v7, v6
	out v3
