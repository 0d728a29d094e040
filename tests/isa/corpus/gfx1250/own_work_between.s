; between signal and wait a wave works on bytes of its own
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	s_barrier_signal -1
	ds_store_b32 v7, v6 offset:1024
	ds_load_b32 v4, v7 offset:1024
	s_wait_dscnt 0
	s_barrier_wait -1
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
