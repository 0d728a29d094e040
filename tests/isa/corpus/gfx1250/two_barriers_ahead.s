; wave 0 goes on to the next store after one barrier; the loads of wave 1 need a second one
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	right barrier
	ds_store_b32 v7, v6
	s_wait_dscnt 0
	out v3
