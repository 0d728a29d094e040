; each wave loads half and waits for its own: without a barrier a wave knows nothing of the other half
	tile
	s_lshl_b32 s37, s12, 8
	load_tile
	s_wait_tensorcnt 0
	right barrier
	v_xor_b32 v12, 0x100, v6
	ds_load_b32 v3, v12
	ds_load_b32 v4, v6
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
