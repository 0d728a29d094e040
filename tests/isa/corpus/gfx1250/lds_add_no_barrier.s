; a counter is read while waves add to it
	v_mov_b32 v12, 0x400
	wave 1, 1f
	ds_store_b32 v12, v10
	s_wait_dscnt 0
1:	barrier
	ds_add_u32 v12, v11
	s_wait_dscnt 0
	right barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
